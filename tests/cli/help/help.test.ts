import { expect, it } from 'vitest'
import { commandGroups } from '../../../src/cli/help/command-groups.js'
import { firstScreen } from '../../../src/cli/help/first-screen.js'
import { reflowHelp } from '../../../src/cli/help/reflow-help.js'
import { declareCommands } from '../../../src/cli/program.js'
import { wrap } from '../../../src/text/wrap-words.js'

const declared = async (): Promise<string> => {
  let help = ''
  await declareCommands(() => async () => undefined, [])
    .exitProcess(false)
    .parse(['--help'], (_error: unknown, _values: unknown, output: string) => {
      help = output
    })
  return help
}

it('the first screen has at most 40 lines at 40, 80 and 200 columns, and groups of at most eight', () => {
  for (const width of [40, 80, 200]) {
    const lines = firstScreen(width).split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
  }
  expect(Math.max(...commandGroups.map(({ commands }) => commands.length))).toBeLessThanOrEqual(8)
})

it('the first screen lists every command that can be run, once', async () => {
  const commands = [...(await declared()).matchAll(/^ {2}autotest ([a-z]+)[ \n].* {2}/gm)].map(
    ([, name]) => name,
  )
  const listed = commandGroups.flatMap((group) => group.commands.map(({ name }) => name))
  expect(listed.toSorted()).toEqual([...new Set(commands)].toSorted())
})

it('help at 40 columns breaks inside no word, path or command', async () => {
  const help = await declared()
  const words = new Set(help.split(/\s+/))
  const narrow = reflowHelp(help, 40)
  for (const word of narrow.split(/\s+/).filter((each) => /[\w/]{3}/.test(each) && !/^\d+$/.test(each)))
    expect(words).toContain(word)
  expect(narrow).toContain('autotest --no-repair -o out.xml')
})

it('an advised command stays on one line at any width, and ordinary words after it do not', () => {
  const text = 'Apply with autotest apply r-7f3a --repair p1 --allow-dirty to write it without asking again'
  for (const width of [20, 40, 60]) {
    const lines = wrap(text, width)
    expect(lines.some((line) => line.includes('autotest apply r-7f3a --repair p1 --allow-dirty'))).toBe(true)
    expect(lines.join(' ')).toBe(text)
    expect(lines.length).toBeGreaterThan(1)
  }
  expect(wrap('see benchmarks/a/very/long/path/to/a/file/orders.yaml:333 there', 20)).toContain(
    'benchmarks/a/very/long/path/to/a/file/orders.yaml:333',
  )
  expect(wrap('一二三四五六七八九十一二三四五六七八九十', 10).every((line) => line.length <= 5)).toBe(true)
})
