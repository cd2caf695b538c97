import { describe, expect, it } from 'vitest'
import { withoutRunnerCommands } from '../../src/text/runner-commands.js'

/** As GitHub's and Azure's runners find a command in a line. */
const isCommand = (line: string): boolean =>
  /^[\s\u0085]*::/.test(line) || /##\w*\[/.test(line) || /section_(?:start|end):\d/.test(line)
const attacks = [
  '::error::x',
  '  ::set-env name=PATH::x',
  'FAIL x: a\n::add-mask::a',
  'a ##[command]rm',
  '##vso[task.setvariable variable=x]y',
  '##VSO[task.complete]',
  '###[x',
  ':::x',
  '\u0085::set-output name=a::b',
  "##teamcity[setParameter name='x' value='y']",
  'section_start:1560896352:name',
]

describe('a text for a log', () => {
  it.each(attacks)('is no command to a runner: %j', (text) => {
    expect(text.split('\n').some(isCommand)).toBe(true)
    expect(withoutRunnerCommands(text).split('\n').some(isCommand)).toBe(false)
  })

  it.each(['cast a::int', '## Heading [x]', '# ', 'a: b', '{{ a }}'])('is otherwise kept: %j', (text) => {
    expect(withoutRunnerCommands(text)).toBe(text)
  })

  it.each(attacks)('keeps its values as JSON: %j', (text) => {
    const json = JSON.stringify({ question: text }, null, 2)
    expect(withoutRunnerCommands(json).split('\n').some(isCommand)).toBe(false)
    expect(JSON.parse(withoutRunnerCommands(json))).toEqual({ question: text })
  })

  it.each(attacks)('keeps its values as XML: %j', (text) => {
    const safe = withoutRunnerCommands(`<?xml version="1.0"?>\n<a>\n${text}\n</a>`)
    expect(safe.split('\n').some(isCommand)).toBe(false)
    expect(safe.replaceAll('&#35;', '#').replaceAll('&#58;', ':')).toContain(text)
  })
})
