import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { declareCommands } from '../../src/cli/program.js'
import { checkValues } from '../../src/cli/usage-error.js'
import { loadConfig } from '../../src/config/load.js'
import { configFile } from '../../src/config/schema.js'
import { removeFolders, scratchFolder } from '../e2e/sample.js'
import { write } from '../e2e/small-project.js'
import { commandsOf, pageText } from './page.js'

const pages = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

afterAll(removeFolders)

interface Shown {
  readonly page: string
  readonly line: number
  readonly text: string
}

/** The blocks of a language on a page, with the line on which each begins. */
function blocksOf(page: string, language: string): Shown[] {
  const text = pageText(page)
  return [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    (found) => ({
      page,
      line: text.slice(0, found.index).split('\n').length,
      text: (found[2] ?? '').replaceAll(new RegExp(`^${found[1]}`, 'gm'), ''),
    }),
  )
}

/** A block is a configuration if all its keys are keys of one. */
function isConfiguration({ text }: Shown): boolean {
  const keys = Object.keys(parseAllDocuments(text)[0]?.toJS() ?? {})
  return keys.length > 0 && keys.every((key) => Object.hasOwn(configFile.shape, key))
}

/** Commands of autotest on a page: in shell blocks, and in the text. */
function commandsOn(page: string): Shown[] {
  const text = pageText(page)
  const typed = blocksOf(page, 'sh').flatMap(({ line, text: block }) =>
    commandsOf(block).map((command) => ({ page, line, text: command })),
  )
  const mentioned = [
    ...text
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, (block) => block.replaceAll(/[^\n]/g, ' '))
      .matchAll(/`([^`\n]+)`/g),
  ].map((found) => ({ page, line: text.slice(0, found.index).split('\n').length, text: found[1] ?? '' }))
  return [...typed, ...mentioned].flatMap((shown) => {
    // `autotest tdd` in a sentence is a name, and nothing to type.
    const isName = mentioned.includes(shown) && /^autotest( [a-z-]+)*$/.test(shown.text)
    const found = isName
      ? null
      : /^(?:[A-Z_]+=\S+ )*(?:npx --no-install )?autotest(?= |$)(.*)$/.exec(shown.text)
    return found === null ? [] : [{ ...shown, text: (found[1] ?? '').trim() }]
  })
}

/** The words of a command as a shell splits them, up to a pipe, a redirection or a further command. */
function wordsOf(command: string): string[] {
  const words =
    command
      .replaceAll(/[[\]](?=\s|-|$)|(?<=\s)\[/g, ' ')
      .match(/(?:"[^"]*"|'[^']*'|[^\s"'|;&<>])+|[|;&<>]+/g) ?? []
  const end = words.findIndex((each) => /^[|;&<>]/.test(each))
  return words
    .slice(0, end === -1 ? undefined : end)
    .map((each) => each.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

/** Returns why the program refuses the words; undefined where it would run them. */
async function refusalOf(words: readonly string[]): Promise<string | undefined> {
  const parser = declareCommands(() => async (flags) => checkValues(flags, words), words).exitProcess(false)
  try {
    await parser.parse([...words], () => undefined)
    return undefined
  } catch (error) {
    return String(error)
  }
}

describe('what pages tell readers to write and to type', () => {
  it('each configuration is one that loads', async () => {
    const shown = pages.flatMap((page) => blocksOf(page, 'yaml')).filter(isConfiguration)
    expect(shown.length).toBeGreaterThan(20)
    for (const { page, line, text } of shown) {
      const dir = scratchFolder()
      write(dir, 'autotest.config.yaml', text)
      // A dbt profile is a file of its own.
      if (/^engine: dbt:/m.test(text)) continue
      await loadConfig({ cwd: dir }).catch((error: unknown) => {
        throw new Error(`${page}:${line}: ${String(error)}`)
      })
    }
  })

  it('each command line of autotest is one that the program takes', async () => {
    const shown = pages.flatMap(commandsOn)
    expect(shown.length).toBeGreaterThan(40)
    const refused = []
    for (const { page, line, text } of shown) {
      const refusal = await refusalOf(wordsOf(text))
      if (refusal !== undefined) refused.push(`${page}:${line}: autotest ${text}: ${refusal}`)
    }
    expect(refused).toEqual([])
  })

  it('each flag behind npx arrives at the program', () => {
    const dir = scratchFolder()
    write(dir, 'package.json', '{}')
    write(dir, 'node_modules/.bin/autotest', '#!/bin/sh\nprintf "%s\\n" "$@"\n')
    chmodSync(join(dir, 'node_modules/.bin/autotest'), 0o755)
    const files = [...pages, 'ci/gitlab.yml', 'ci/github.sh', '.pre-commit-hooks.yaml']
    const prefixes = files.flatMap((path) =>
      [...pageText(path).matchAll(/npx(?: |\\n)(\S*?)(?: |\\n)autotest\b/g)].map(([, flag = '']) => flag),
    )
    expect(prefixes.length).toBeGreaterThan(10)
    for (const flag of new Set(prefixes)) {
      const words = ['--yes', '--dry-run', '--no-repair', '-o', 'out.xml', 'kb', 'check']
      const { stdout } = spawnSync('npx', [flag, 'autotest', ...words], { cwd: dir, encoding: 'utf8' })
      expect([flag, stdout.split('\n')]).toEqual([flag, [...words, '']])
    }
  })

  it('a flag that is not known, a missing argument and an unknown command are refused', async () => {
    for (const words of [['--no-such-flag'], ['why'], ['runs', 'no-such-command'], ['--max-retries', 'many']])
      expect([words, await refusalOf(words)]).toEqual([words, expect.any(String)])
  })
})
