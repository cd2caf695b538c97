import { expect, it } from 'vitest'
import { z } from 'zod'
import { AutotestError } from '../../src/errors.js'
import { checkSchema, validate } from '../../src/snapshot/validate-schema.js'
import { parseYaml } from '../../src/snapshot/yaml.js'

const schema = z.strictObject({
  dialect: z.enum(['sqlite', 'duckdb']).optional(),
  cases: z.array(
    z.strictObject({
      id: z.string(),
      expected_sql: z.string().min(1, 'is empty'),
      compare: z.strictObject({ tolerance: z.number() }).optional(),
    }),
  ),
})

function problems(text: string): string[] {
  const outcome = checkSchema(schema, parseYaml(text, 'b.yaml'))
  if (outcome.kind === 'valid') return []
  return outcome.problems.map(
    ({ line, column, message, hint }) => `${line}:${column} ${message} | ${hint ?? '-'}`,
  )
}

it.each([
  [
    'an unknown key with the nearest one, and all where they are few',
    'cases:\n  - id: gmv\n    expectd_sql: x\n    expected_sql: x',
    '3:5 unknown key `expectd_sql` in case `gmv` | did you mean `expected_sql`? Keys here: id, expected_sql, compare.',
  ],
  [
    'an unknown key with all keys where none is near',
    'cases: []\nfoobar: 1',
    '2:1 unknown key `foobar` | Keys here: dialect, cases.',
  ],
  [
    'an unknown key deep inside',
    'cases:\n  - {id: a, expected_sql: x, compare: {tolerence: 1, tolerance: 1}}',
    '2:40 unknown key `tolerence` in case `a` | did you mean `tolerance`?',
  ],
  ['a missing key', 'cases:\n  - id: a', '2:5 `expected_sql` is missing in case `a` | Add `expected_sql`.'],
  [
    'a wrong type',
    'cases:\n  - id: a\n    expected_sql: 5',
    '3:5 `expected_sql` must be text, not `5` in case `a` | Put the value in quotes.',
  ],
  ['a wrong list', 'cases: 1', '1:1 `cases` must be a list, not `1` | -'],
  [
    'an unknown choice',
    'dialect: sqlit\ncases: []',
    '1:1 `dialect` cannot be `sqlit` | did you mean `sqlite`?',
  ],
  [
    'a rule of the schema',
    'cases:\n  - id: a\n    expected_sql: ""',
    '3:5 `expected_sql` is empty in case `a` | -',
  ],
  ['a file that is a list', '- 1', '1:1 file must be a map of keys, not a list | -'],
])('%s', (_name, text, expected) => {
  expect(problems(text)).toEqual([expected])
})

it('finds all problems of a file', () => {
  expect(problems('cases:\n  - id: 1\n  - idd: b')).toHaveLength(5)
})

it('gives the value of a valid file', () => {
  expect(validate(schema, parseYaml('cases: []', 'b.yaml'), 'kb_invalid')).toEqual({ cases: [] })
})

it('throws one error with a line for each problem, twenty at most', () => {
  const text = `cases:\n${'  - id: 1\n    expected_sql: x\n'.repeat(25)}`
  try {
    validate(schema, parseYaml(text, 'b.yaml'), 'benchmark_invalid')
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    const lines = error.message.split('\n')
    expect(lines).toHaveLength(21)
    expect(lines[0]).toMatch(/^b\.yaml:2:5 {2}`id` must be text/)
    expect(lines[20]).toBe('and 5 more')
    expect([error.code, error.hint]).toEqual(['benchmark_invalid', 'Put the value in quotes.'])
  }
})
