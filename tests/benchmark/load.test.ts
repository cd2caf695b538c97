import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadBenchmark } from '../../src/benchmark/load.js'
import { AutotestError } from '../../src/errors.js'
import { needsShared } from '../needs.js'
import { asOrdinaryUser } from '../ordinary-user.js'

let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'autotest-benchmark-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), text)
}

async function ids(...paths: string[]): Promise<string[]> {
  return (await loadBenchmark({ paths, cwd })).cases.map((item) => item.id)
}

async function refusal(
  paths: readonly string[],
  filter: { tags?: string[]; ids?: string[] } = {},
): Promise<AutotestError> {
  try {
    await loadBenchmark({ paths, cwd, ...filter })
  } catch (error) {
    if (error instanceof AutotestError) return error
    throw error
  }
  throw new Error('it was loaded')
}

const one = (id: string) =>
  `cases:\n  - id: ${id}\n    question: Q\n    expected_sql: SELECT 1\n    tags: [t_${id}]\n`

describe('what is read', () => {
  it('the plain form', async () => {
    write(
      'b.yaml',
      'cases:\n  - id: gmv\n    question: GMV?\n    expected_sql: |\n      SELECT 1\n    tags: [commerce]\n  - {id: x, question: Q, expected_sql: SELECT 2}\n',
    )
    const { cases, files } = await loadBenchmark({ paths: ['b.yaml'], cwd })
    expect(files).toEqual(['b.yaml'])
    expect(cases[0]).toEqual({
      kind: 'sql',
      id: 'gmv',
      question: 'GMV?',
      expectedSql: 'SELECT 1\n',
      tags: ['commerce'],
      engine: undefined,
      dialect: undefined,
      asOf: undefined,
      compare: {},
      location: { file: 'b.yaml', line: 2, column: 5 },
      sqlLocation: { file: 'b.yaml', line: 4, column: 5 },
    })
    expect(cases[1]?.tags).toEqual([])
  })

  it('everything that a file and a case may say', async () => {
    write(
      'b.yaml',
      'engine: sqlite:x.db\ndialect: trino\nas_of: 2025-12-31\ncases:\n  - kind: sql\n    id: a\n    question: Q\n    expected_sql: SELECT 1\n    tags:\n    compare: { order: ordered, tolerance: 1e-2, columns: name, policy: both }\n',
    )
    const { cases } = await loadBenchmark({ paths: ['b.yaml'], cwd })
    expect(cases[0]).toMatchObject({
      engine: 'sqlite:x.db',
      dialect: 'trino',
      asOf: '2025-12-31',
      tags: [],
      compare: { order: 'ordered', tolerance: 0.01, columns: 'name', policy: 'both' },
    })
  })

  it('numbers as ids and tags as they are written', async () => {
    write(
      'b.yaml',
      'cases:\n  - {id: 123456789012345678901, question: Q, expected_sql: SELECT 1, tags: [2025, 007]}\n  - {id: 1.10, question: Q, expected_sql: SELECT 1}\n',
    )
    const { cases } = await loadBenchmark({ paths: ['b.yaml'], cwd })
    expect(cases.map((item) => item.id)).toEqual(['123456789012345678901', '1.10'])
    expect(cases[0]?.tags).toEqual(['2025', '007'])
  })

  it('a byte order mark and Windows line ends', async () => {
    write('b.yaml', `\uFEFF${one('a').replaceAll('\n', '\r\n')}`)
    expect(await ids('b.yaml')).toEqual(['a'])
  })

  it('files, folders with their subfolders, and globs, each file once and in the order of their names', async () => {
    for (const path of ['b/z.yaml', 'b/a.yml', 'b/deep/c.yaml', 'other/o.yaml', 'b/[x].yaml'])
      write(path, one(path.replaceAll(/\W/g, '_')))
    write('b/notes.md', '# no benchmark')
    expect(await ids('b')).toEqual(['b__x__yaml', 'b_a_yml', 'b_deep_c_yaml', 'b_z_yaml'])
    expect(await ids('**/o.yaml', 'b/z.yaml', 'b/*.yaml')).toEqual(['b__x__yaml', 'b_z_yaml', 'other_o_yaml'])
    expect(await ids('b/[x].yaml')).toEqual(['b__x__yaml'])
    expect(await ids(join(cwd, 'b/z.yaml'))).toEqual(['b_z_yaml'])
  })

  it('of a folder, neither what is hidden nor what a symbolic link leads to', async () => {
    for (const path of ['b/a.yaml', 'b/.draft.yaml', 'b/.old/c.yaml', 'b/D.YAML', 'other/o.yaml'])
      write(path, one(path.replaceAll(/\W/g, '_')))
    symlinkSync(join(cwd, 'other'), join(cwd, 'b/linked'))
    symlinkSync(join(cwd, 'other/o.yaml'), join(cwd, 'b/linked.yaml'))
    expect(await ids('b')).toEqual(['b_a_yaml'])
  })

  it('the cases that a filter selects', async () => {
    write('b.yaml', one('a'))
    write('c.yaml', one('c'))
    const { cases } = await loadBenchmark({ paths: ['.'], tags: ['t_c'], ids: [], cwd })
    expect(cases.map((item) => item.id)).toEqual(['c'])
  })
})

describe('what is refused', () => {
  const broken: [string, string, string | RegExp][] = [
    [
      'an unknown key',
      one('gmv').replace('tags', 'expectd_sql'),
      /b\.yaml:5:5 {2}unknown key `expectd_sql` in case `gmv`/,
    ],
    ['an unknown key of the file', `enigne: x\n${one('a')}`, /b\.yaml:1:1 {2}unknown key `enigne`/],
    [
      'an engine with a password',
      `engine: http:https://me:p@ss@x/sql\n${one('a')}`,
      /b\.yaml:1:1 {2}`engine` must not hold a password: .*`engine_token_env`$/,
    ],
    [
      'an unknown key of compare',
      `${one('a')}    compare: {tolerence: 1}\n`,
      /6:15 {2}unknown key `tolerence` in case `a`/,
    ],
    ['an empty file', '', /b\.yaml:1:1 {2}file is empty/],
    ['a comment and no more', '# later\n', /file is empty/],
    ['no cases', 'cases: []', /b\.yaml:1:1 {2}`cases` contains no case: .* remove the file$/m],
    ['cases without a value', 'cases:', /`cases` must be a list, not empty/],
    [
      'an empty expected_sql',
      one('a').replace('SELECT 1', '" "'),
      /b\.yaml:4:5 {2}`expected_sql` is empty in case `a`/,
    ],
    [
      'a missing expected_sql',
      one('a').replace('    expected_sql: SELECT 1\n', ''),
      /b\.yaml:2:5 {2}`expected_sql` is missing in case `a`/,
    ],
    ['an empty question', one('a').replace('Q', '""'), /b\.yaml:3:5 {2}`question` is empty in case `a`/],
    ['a question that nobody sees', one('a').replace('Q', '"\u200b"'), /`question` is empty in case `a`/],
    ['a question that is a list', one('a').replace('Q', '[Q]'), /`question` must be text, not a list/],
    ['tags that are text', one('a').replace('[t_a]', 't_a'), /`tags` must be a list, not `t_a`/],
    ['a tag with a comma', one('a').replace('[t_a]', '["a,b"]'), /`tags\[0\]` must not contain a comma/],
    ['a negative tolerance', `${one('a')}    compare: {tolerance: -1}\n`, /`tolerance` must not be negative/],
    [
      'a tolerance that is no number',
      `${one('a')}    compare: {tolerance: .nan}\n`,
      /`tolerance` must be a number, not `NaN`/,
    ],
    [
      'a tolerance that matches anything',
      `${one('a')}    compare: {tolerance: 1}\n`,
      /`tolerance` must be below 1/,
    ],
    ['a day of no calendar', `as_of: 2025-02-30\n${one('a')}`, /b\.yaml:1:1 {2}`as_of` must be a date/],
    ['an unknown dialect', `dialect: sqlit\n${one('a')}`, /b\.yaml:1:1 {2}`dialect` cannot be `sqlit`/],
    ['an unknown policy', `${one('a')}    compare: {policy: strict}\n`, /`policy` cannot be `strict`/],
    ['a kind of a later version', `${one('a')}    kind: tests\n`, /`kind` cannot be `tests`/],
    ['an id with blanks', one('a b'), /`id` may only contain letters, digits/],
    ['an id that looks like a flag', one('--yes'), /may not begin with a dash/],
    ['an id of 121 characters', one('x'.repeat(121)), /`id` is longer than 120 characters/],
    ['a missing id', one('a').replace('id: a\n    ', ''), /`id` is missing/],
    ['a list instead of a map', '- id: a', /file must be a map of keys/],
    ['a syntax error', 'cases: [', /b\.yaml:1:\d+ {2}/],
  ]

  it.each(broken)('%s, with its place', async (_name, text, expected) => {
    write('b.yaml', text)
    const error = await refusal(['b.yaml'])
    expect(error.code).toBe('benchmark_invalid')
    expect(error.message).toMatch(expected)
    expect(error.message.split('\n')).toHaveLength(1)
  })

  it('a misspelt key with the one that was meant', async () => {
    write(
      'b.yaml',
      one('gmv')
        .replace('expected_sql', 'expectd_sql')
        .replace('    tags', '    expected_sql: SELECT 1\n    tags'),
    )
    expect((await refusal(['b.yaml'])).hint).toBe('did you mean `expected_sql`?')
  })

  it('an id that is there twice, naming both places', async () => {
    write('a.yaml', one('x'))
    write('b.yaml', one('y') + one('x').replace('cases:\n', ''))
    expect((await refusal(['.'])).message).toBe('b.yaml:6:5  case `x` already exists at a.yaml:2')
  })

  it('all that is wrong in all files at once', async () => {
    write('a.yaml', one('x').replace('Q', '""').replace('SELECT 1', '""'))
    write('b.yaml', 'cases: [')
    write('c.yaml', '')
    expect((await refusal(['.'])).message.split('\n').map((line) => line.split(':')[0])).toEqual([
      'a.yaml',
      'a.yaml',
      'b.yaml',
      'c.yaml',
    ])
  })

  it('a file over 64 MB, without reading it', async () => {
    write('b.yaml', new Uint8Array(64_000_001))
    expect((await refusal(['b.yaml'])).message).toMatch(/larger than 64 MB/)
  })

  it.each([
    ['nowhere.yaml', 'nowhere.yaml: no such file or folder'],
    ['none/*.yaml', 'no file matches none/*.yaml'],
    ['empty', 'empty contains no *.yaml file'],
    ['/dev/null', '/dev/null is not a regular file'],
  ])('the path %s', async (path, message) => {
    mkdirSync(join(cwd, 'empty'))
    expect(await refusal([path])).toMatchObject({ code: 'benchmark_missing', message })
  })

  it('a folder that may not be read', async () => {
    write('b/a.yaml', one('a'))
    mkdirSync(join(cwd, 'b/locked'), { mode: 0 })
    const error = await asOrdinaryUser(cwd, () => refusal(['b']))
    chmodSync(join(cwd, 'b/locked'), 0o700)
    expect(error.code).toBe('benchmark_missing')
    expect(error.message).toMatch(/^b\/locked cannot be read: /)
  })

  it('a filter that leaves nothing', async () => {
    write('b.yaml', one('a'))
    expect(await refusal(['b.yaml'], { tags: ['z'] })).toMatchObject({ code: 'no_case_matched' })
  })
})

it('ten thousand cases load, each with its place', async () => {
  const sql = 'SELECT customer_id, sum(amount) AS total\n      FROM orders\n      GROUP BY 1'
  const item = (i: number) =>
    `  - id: c${i}\n    question: Orders of customer ${i} in November 2025\n    expected_sql: |\n      ${sql}\n    tags: [orders, t${i % 9}]\n`
  write('big.yaml', `cases:\n${Array.from({ length: 10_000 }, (_, i) => item(i)).join('')}`)
  const { cases } = await loadBenchmark({ paths: ['big.yaml'], cwd })
  expect(cases).toHaveLength(10_000)
  expect(cases[9999]?.sqlLocation.line).toBe(2 + 9999 * 7 + 2)
})

interface HostileItem {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly text: string
}

const hostilePath = fileURLToPath(new URL('../../../shared/hostile/yaml.json', import.meta.url))
const hasHostile = existsSync(hostilePath)
const hostile: readonly HostileItem[] = hasHostile ? JSON.parse(readFileSync(hostilePath, 'utf8')).items : []

describe('hostile files (../shared/hostile/yaml.json)', () => {
  it('are present', needsShared('hostile/yaml.json'), () => {
    expect(hostile.length).toBeGreaterThan(10)
  })

  it.each(hostile.filter((item) => item.kind === 'benchmark'))(
    '$id $name is refused without showing its values',
    async ({ text }) => {
      write('b.yaml', text)
      const error = await refusal(['b.yaml'])
      expect(error.code).toBe('benchmark_invalid')
      expect(error.message).not.toMatch(/p@ss|DROP TABLE/)
    },
  )
})
