import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { AutotestError } from '../../src/errors.js'
import { parseYaml, readYaml } from '../../src/snapshot/yaml.js'
import { needsShared } from '../needs.js'

const hostilePath = fileURLToPath(new URL('../../../shared/hostile/yaml.json', import.meta.url))
const hasHostile = existsSync(hostilePath)

/** What a file is refused for: `line:column message`. */
function refusal(text: string | Uint8Array, maxBytes?: number): string {
  const outcome = readYaml(text, 'kb/a.yaml', { maxBytes })
  if (outcome.kind === 'read') throw new Error(`read as ${String(outcome.file.data)}`)
  return `${outcome.problem.line}:${outcome.problem.column} ${outcome.problem.message}`
}

describe('what is refused, with its place', () => {
  it.each([
    ['a tab as indentation', 'a:\n\tb: 1', /^2:1 Tabs are not allowed as indentation/],
    ['lines that end in CR alone', 'a: 1\rb: 2\r', /^1:1 Its lines end in CR only/],
    ['a tab behind a block of text', 'a: |\n  x\n\tb: 1', /^3:1 Tabs are not allowed as indentation/],
    [
      'a merge conflict',
      'a: 1\r\n<<<<<<< HEAD\r\nb: 1\r\n=======\r\nb: 2\r\n>>>>>>> theirs\r\n',
      /^2:1 a merge conflict was left in the file/,
    ],
    ['an unclosed bracket', 'a: [1,\nb: 2', /^2:\d+ /],
    ['a duplicate key', 'a: 1\nb: 2\na: 3', /^3:1 key `a` occurs twice/],
    ['keys that are equal as text', '1: a\n"1": b', /^2:1 key `1` occurs twice/],
    ['a merge key', 'b: &b {x: 1}\nc:\n  <<: *b', /^3:3 merge keys/],
    ['a key that a check would drop', 'a:\n  __proto__: {x: 1}', /^2:3 `__proto__` is not allowed as a key/],
    ['a custom tag', 'run: !!python/object/apply:os.system ["id"]', /^1:6 /],
    ['a local tag', 'run: !secret x', /^1:6 /],
    ['bytes', 'a: !!binary aGk=', /^1:4 /],
    ['a set', 'a: !!set {x, y}', /^1:4 /],
    ['a date of YAML 1.1', 'a: !!timestamp 2020-01-01', /^1:4 /],
    ['half a character', 'a: "\\ud800"', /^1:4 text contains half a surrogate pair/],
    ['a key that is there twice, escaped', '{a: 1, "\\x61": 2}', /key `a` occurs twice/],
    ['a second document', 'a: 1\n---\nb: 2', /^2:1 .*more than one document/],
    ['an alias of itself', 'a: &a [*a]', /^1:8 alias \*a refers to itself/],
    ['an alias without anchor', 'a: *b', /^1:4 alias \*b has no anchor/],
    ['a map as a key', '{a: 1}: b', /^1:1 a key must be plain text/],
    ['YAML 1.1', '%YAML 1.1\n---\na: yes', /^1:1 only YAML 1\.2/],
    ['NUL characters', 'a: \0', /^1:1 file contains NUL/],
  ])('%s', (_name, text, expected) => {
    expect(refusal(text)).toMatch(expected)
  })

  it('not 40,000 keys of one map, each of which is looked at once', () => {
    const keys = Array.from({ length: 40_000 }, (_, i) => `k${i}: ${i}`)
    expect(readYaml(keys.join('\n'), 'a.yaml').kind).toBe('read')
    expect(refusal([...keys, 'k7: x'].join('\n'))).toBe('40001:1 key `k7` occurs twice')
  })

  it('an alias bomb', () => {
    const levels = Array.from(
      { length: 9 },
      (_, i) =>
        `a${i}: &a${i} [${Array(9)
          .fill(i === 0 ? 'x' : `*a${i - 1}`)
          .join(', ')}]`,
    )
    expect(refusal(levels.join('\n'))).toMatch(/aliases expand to too many values/)
  })

  it.each([
    ['flow', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['flow maps', '{a: '.repeat(20_000) + '}'.repeat(20_000)],
    ['brackets hidden behind quoted ones', '["]", '.repeat(20_000)],
    ['compact lists', `${'- '.repeat(20_000)}x`],
    ['compact lists below the run that the lexer could not take', `${'- '.repeat(900)}x`],
    ['indentation', Array.from({ length: 200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ])('values nested too deeply: %s', (_name, text) => {
    expect(refusal(text)).toMatch(/nest deeper than 64 levels/)
  })

  it('bytes that are not UTF-8', () => {
    expect(refusal(Buffer.from('//5hADoAIAAxAA==', 'base64'))).toBe('1:1 file is not UTF-8')
    expect(refusal(Uint8Array.of(0x61, 0x3a, 0x20, 0xe9))).toBe('1:1 file is not UTF-8')
  })

  it('a file over the cap, which counts bytes', () => {
    expect(refusal(`a: ${'é'.repeat(60)}`, 100)).toMatch(/larger than/)
    expect(parseYaml(`a: ${'é'.repeat(40)}`, 'a.yaml', { maxBytes: 100 }).data).toEqual({ a: 'é'.repeat(40) })
  })
})

describe('what is read', () => {
  it('values as YAML 1.2 means them, dates as text', () => {
    const text = 'd: 2024-01-01\nn: no\nt: true\nf: 1e-4\ne:\nz: 007\ns: "1"'
    expect(parseYaml(text, 'a.yaml').data).toEqual({
      d: '2024-01-01',
      n: 'no',
      t: true,
      f: 1e-4,
      e: null,
      z: 7,
      s: '1',
    })
  })

  it('64 levels and a thousand aliases', () => {
    expect(readYaml('['.repeat(64) + ']'.repeat(64), 'a.yaml').kind).toBe('read')
    expect(readYaml(`a: &a 1\nb: [${Array(1000).fill('*a').join(', ')}]`, 'a.yaml').kind).toBe('read')
  })

  it('a big integer without losing a digit', () => {
    expect(parseYaml('id: 123456789012345678901', 'a.yaml').data).toEqual({ id: 123456789012345678901n })
  })

  it('numbers as they are written, for whoever needs the digits', () => {
    const yaml = parseYaml('a: 1.10\nb: [007]\nc: "x"\nd: {e: 1}', 'a.yaml')
    expect([
      yaml.sourceOf(['a']),
      yaml.sourceOf(['b', 0]),
      yaml.sourceOf(['c']),
      yaml.sourceOf(['d']),
    ]).toEqual(['1.10', '007', 'x', undefined])
  })

  it('a UTF-8 byte order mark is no part of the first key', () => {
    const yaml = parseYaml(Buffer.from('\uFEFFa: 1\nb: 2'), 'a.yaml')
    expect(yaml.data).toEqual({ a: 1, b: 2 })
    expect(yaml.locate(['a'])).toEqual({ line: 1, column: 1 })
  })

  it('names that every object has, as ordinary keys', () => {
    const { data } = parseYaml('constructor: 1\ntoString: {prototype: 2}', 'a.yaml')
    expect(Object.entries(Object(data))).toEqual([
      ['constructor', 1],
      ['toString', { prototype: 2 }],
    ])
  })

  it('places of keys, items, and of the parent where a path leads nowhere', () => {
    const yaml = parseYaml('cases:\n  - id: a\n    sql: |\n      SELECT 1\n  - id: b\n', 'a.yaml')
    expect(yaml.locate(['cases', 0])).toEqual({ line: 2, column: 5 })
    expect(yaml.locate(['cases', 0, 'sql'])).toEqual({ line: 3, column: 5 })
    expect(yaml.locate(['cases', 1, 'id'])).toEqual({ line: 5, column: 5 })
    expect(yaml.locate(['cases', 1, 'sql'])).toEqual({ line: 5, column: 5 })
    expect(yaml.locate(['nothing'])).toEqual({ line: 1, column: 1 })
  })

  it('errors name file, line, column and what to do', () => {
    try {
      parseYaml('a: 1\na: 2', 'kb/metrics/a.yaml', { code: 'benchmark_invalid' })
      expect.unreachable()
    } catch (error) {
      if (!(error instanceof AutotestError)) throw error
      expect(error.code).toBe('benchmark_invalid')
      expect(error.message).toMatch(/^kb\/metrics\/a\.yaml:2:1 {2}/)
      expect(error.hint).toBe('Keep one of the two.')
    }
  })
})

describe('a long list, read item by item', () => {
  const padding = `# ${'x'.repeat(200_000)}\n`
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('a', '\n', ' ', '-', '#', ':', '"', "'") }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const item = fc.oneof(
    value,
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(value, fc.array(value))),
  )

  it('gives the data and the places that reading it whole gives', () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 2, maxLength: 8 }),
        fc.constantFrom(0, 2),
        fc.nat(1),
        (items, indent, flow) => {
          const body = stringify(
            { dialect: 'sqlite', cases: items },
            { indentSeq: indent > 0, collectionStyle: flow ? 'any' : 'block' },
          )
          // The writer makes a few texts that no reader takes.
          fc.pre(readYaml(body, 'a.yaml').kind === 'read')
          const whole = parseYaml(body, 'a.yaml')
          const long = parseYaml(padding + body, 'a.yaml')
          expect(long.data).toEqual(whole.data)
          for (const [index, entry] of items.entries()) {
            for (const path of [
              [],
              ...(entry !== null && typeof entry === 'object' ? Object.keys(entry).map((key) => [key]) : []),
            ]) {
              const at = ['cases', index, ...path]
              const { line, column } = whole.locate(at)
              expect(long.locate(at)).toEqual({ line: line + 1, column })
              expect(long.sourceOf(at)).toBe(whole.sourceOf(at))
            }
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each([
    ['a list that another key follows', 'cases:\n- a\n- b\nlast: 1\n', { cases: ['a', 'b'], last: 1 }],
    ['aliases from item to item', 'cases:\n- &x a\n- *x\n', { cases: ['a', 'a'] }],
    ['quoted text that looks like items', 'cases:\n  - "a\n    - b"\n  - c\n', { cases: ['a - b', 'c'] }],
    ['a list in a list', 'cases:\n  - - a\n    - b\n  - c\n', { cases: [['a', 'b'], 'c'] }],
    ['lists under two keys', 'x:\n- 1\n- 2\ncases:\n- a\n- b\n', { x: [1, 2], cases: ['a', 'b'] }],
    ['Windows line ends', 'cases:\r\n  - a\r\n  - b\r\n', { cases: ['a', 'b'] }],
  ])('%s', (_name, text, data) => {
    expect(parseYaml(padding + text, 'a.yaml').data).toEqual(data)
  })

  it.each([
    ['a duplicate of the list key', 'cases:\n- 1\n- 2\ncases:\n- a\n- b\n', /^5:1 /],
    ['a key twice in one item', `cases:\n- a: 1\n- b: 1\n  b: 2\n`, /^5:3 /],
    ['a second document', 'cases:\n- a\n- b\n---\ncases:\n- c\n- d\n', /^5:1 /],
    ['an item out of line', 'cases:\n  - a\n  - b\n - c\n', /^5:\d /],
    [
      'an alias bomb',
      `cases:\n${Array.from(
        { length: 9 },
        (_, i) =>
          `- &a${i} [${Array(9)
            .fill(i === 0 ? 'x' : `*a${i - 1}`)
            .join(', ')}]`,
      ).join('\n')}`,
      /aliases expand/,
    ],
  ])('refuses %s where it stands', (_name, text, expected) => {
    expect(refusal(padding + text)).toMatch(expected)
  })

  it('ten thousand cases load in linear time', () => {
    const cases = Array.from({ length: 10_000 }, (_, i) => ({
      id: `c${i}`,
      question: `Orders of customer ${i}`,
      expected_sql: `SELECT *\nFROM orders\nWHERE customer_id = ${i}\n`,
      tags: ['orders'],
    }))
    const text = stringify({ cases })
    const yaml = parseYaml(text, 'big.yaml', { maxBytes: 64e6 })
    for (let i = 0; i < cases.length; i++) yaml.locate(['cases', i, 'expected_sql'])
    expect(yaml.locate(['cases', 9999, 'id']).line).toBe(2 + 9999 * 8)
  })
})

interface HostileItem {
  readonly id: string
  readonly name: string
  readonly text: string
}

/** Cases that a schema refuses, not the reader: they belong to the loaders' tests. */
const readable = new Set(['yaml-11', 'yaml-12', 'yaml-19', 'yaml-29', 'yaml-33', 'yaml-35'])
const hostile: readonly HostileItem[] = hasHostile ? JSON.parse(readFileSync(hostilePath, 'utf8')).items : []

/** Expands `<REPEAT Nx T>` and `{"base64": …}`. */
function hostileText(text: string): string | Uint8Array {
  if (text.startsWith('{"base64"')) return Buffer.from(JSON.parse(text).base64, 'base64')
  return text.replaceAll(/<REPEAT (\d+)x (.*?)>/g, (_, count, piece) => piece.repeat(Number(count)))
}

describe('hostile files (../shared/hostile/yaml.json)', () => {
  it('are present', needsShared('hostile/yaml.json'), () => {
    expect(hostile.length).toBeGreaterThan(10)
  })

  it.each(hostile.filter((item) => !readable.has(item.id)))('$id $name is refused', ({ text }) => {
    expect(readYaml(hostileText(text), 'kb/a.yaml').kind).toBe('problem')
  })
})
