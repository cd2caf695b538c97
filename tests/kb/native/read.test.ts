import { describe, expect, it } from 'vitest'
import { parseFiles, shop } from '../knowledge-files.js'

const good = `metric: dau
aliases: [DAU]
snippet: dau.sql
parameters:
  market: { type: enum, values: [ID, TH] }
`
const sql = 'SELECT 1 WHERE market = {{ market }}'

function problemsOf(yaml: string, snippet = sql) {
  return parseFiles({ 'kb/metrics/dau.yaml': yaml, 'kb/snippets/dau.sql': snippet }).problems
}

describe('a broken knowledge base', () => {
  it.each([
    ['unknown key', good.replace('aliases', 'alises'), 'warning', 2, 1, '`alises`', 'aliases'],
    ['YAML syntax', 'metric: dau\naliases: [DAU\nsnippet: dau.sql\n', 'error', 3, undefined, '', ''],
    ['wrong type', good.replace('[DAU]', 'DAU'), 'error', 2, 1, '`aliases` must be a list', ''],
    [
      'missing key',
      good.replace('snippet: dau.sql\n', ''),
      'error',
      1,
      undefined,
      '`snippet` is missing',
      'Add',
    ],
    ['empty alias', good.replace('[DAU]', '[" "]'), 'error', 2, undefined, 'must not be empty', ''],
    ['unknown kind', good.replace('enum', 'enumm'), 'error', 5, undefined, 'must be one of enum', ''],
    [
      'default',
      good.replace('TH] }', 'TH], default: TG }'),
      'error',
      5,
      undefined,
      'not one of the values',
      '',
    ],
    ['parameter name', good.replace('  market', '  mar-ket'), 'error', 5, 3, 'letters, digits', ''],
    [
      'missing snippet',
      good.replace('dau.sql', 'dauu.sql'),
      'error',
      3,
      1,
      '`dauu.sql` does not exist',
      '`dau.sql`',
    ],
    ['duplicate key', `${good}metric: dau\n`, 'error', 6, undefined, '', ''],
  ])('says where and what: %s', (_, yaml, severity, line, column, message, hint) => {
    const [problem] = problemsOf(yaml)
    expect(problem).toMatchObject({ severity, path: 'kb/metrics/dau.yaml', line })
    if (column !== undefined) expect(problem?.column).toBe(column)
    expect(problem?.message).toContain(message)
    expect(problem?.hint ?? '').toContain(hint)
  })

  it.each([
    ['unknown parameter', 'SELECT 1\nWHERE m = {{ markte }}', 2, 11, 'is not a parameter', '`market`'],
    ['property of no period', 'SELECT {{ market.start }}', 1, 8, 'no `start`', '{{ market }}'],
    ['inside a string', "SELECT '{{ market }}'", 1, 9, 'inside a string literal', 'without quotes'],
    ['inside a name', 'SELECT "{{ market }}"', 1, 9, 'inside a quoted name', ''],
    ['inside a line comment', 'SELECT 1 -- {{ market }}', 1, 13, 'inside a comment', ''],
    ['inside a comment', 'SELECT /* {{ market }} */ 1', 1, 11, 'inside a comment', ''],
    ['malformed', 'SELECT {{ market | upper }}', 1, 8, 'not a placeholder', ''],
    ['unclosed', 'SELECT {{ market', 1, 8, 'not a placeholder', ''],
  ])('checks placeholders: %s', (_, snippet, line, column, message, hint) => {
    const [problem] = problemsOf(good, snippet)
    expect(problem).toMatchObject({
      severity: 'error',
      path: 'kb/snippets/dau.sql',
      line,
      column,
      entry: 'metric:dau',
    })
    expect(problem?.message).toContain(message)
    expect(problem?.hint ?? '').toContain(hint)
  })

  it.each([
    ['{{ period }}', 'not one value', 'period.start'],
    ['{{ period.begin }}', 'no `begin`', 'Use'],
    ['{{ period.stat }}', 'no `stat`', '`start`'],
  ])('checks the property of a period: %s', (placeholder, message, hint) => {
    const yaml =
      'metric: dau\naliases: [DAU]\nsnippet: dau.sql\nparameters: { period: { type: date_range } }\n'
    const [problem] = problemsOf(yaml, `SELECT ${placeholder}`)
    expect(problem?.message).toContain(message)
    expect(problem?.hint).toContain(hint)
  })

  it('takes quotes that belong to the text beside a placeholder for what they are', () => {
    expect(
      problemsOf(good, `SELECT 'it''s', {{ market }}, "a""b" -- it's\n, {{ market }} /* ' */ , {{ market }}`),
    ).toEqual([])
  })

  it.each(['a; DROP TABLE x', 'a)', '(a', "a'", 'a -- b', 'a /* b', '', '{{ market }}'])(
    'refuses a choice that is no single expression: %s',
    (expression) => {
      const yaml = `metric: dau
aliases: [DAU]
snippet: dau.sql
parameters:
  by: { type: choice, values: { x: { sql: ${JSON.stringify(expression)} } } }
`
      expect(problemsOf(yaml, 'SELECT {{ by }}')[0]).toMatchObject({ severity: 'error', line: 5 })
      const withDefault = yaml.replace('type: choice', 'type: choice, default: x')
      expect(problemsOf(withDefault, 'SELECT {{ by }}')[0]).toMatchObject({ severity: 'error', line: 5 })
    },
  )

  it('says of an unused period how it is written', () => {
    const { problems } = parseFiles({
      'kb/metrics/a.yaml': 'metric: a\nsnippet: a.sql\nparameters:\n  period: { type: date_range }\n',
      'kb/snippets/a.sql': 'SELECT 1',
    })
    expect(problems).toMatchObject([{ hint: 'Use {{ period.start }} there, or remove the parameter.' }])
  })

  it('warns of a parameter that the snippet does not use', () => {
    expect(problemsOf(good, "SELECT 1 WHERE market = 'ID'")).toMatchObject([
      { severity: 'warning', path: 'kb/metrics/dau.yaml', line: 5, column: 3 },
    ])
  })

  it('loads the others, and keeps the words of what it cannot use', () => {
    const kb = parseFiles({
      ...shop,
      'kb/metrics/dau.yaml': 'metric: dau\naliases: [DAU, "daily users"]\n  x',
    })
    expect(kb.metrics.map(({ name }) => name)).toEqual(['gmv', 'gross_margin', 'products'])
    expect(kb.broken).toMatchObject([{ id: 'metric:dau', name: 'dau', aliases: ['DAU', 'daily users'] }])
  })

  it.each([
    ['a file that is no YAML', 'aliases: [DAU]\n  x\nsnippet: "dau.sql" # of the day\n', 'dau.sql'],
    [
      'words with comments behind them',
      'aliases:\r\n  - DAU # short\r\n x\r\nsnippet: dau.sql\r\n',
      'dau.sql',
    ],
    ['a list over two lines', 'aliases: [\n  DAU\n]\n x\nsnippet: dau.sql\n', 'dau.sql'],
    ['a file that is no metric', 'aliases: [DAU]\nsnippet: dau.sql\nparameters: { a-b: {} }\n', 'dau.sql'],
    ['a file that names no snippet', 'aliases: [DAU]\n', undefined],
  ])('keeps the words and the snippet of %s', (_, text, snippet) => {
    const kb = parseFiles({
      'kb/metrics/dau.yaml': `metric: dau # users\n${text}`,
      'kb/snippets/dau.sql': 'x',
    })
    expect(kb.broken).toMatchObject([{ name: 'dau', aliases: ['DAU'], snippet }])
  })

  it('takes letters of any language in the names of parameters', () => {
    const kb = parseFiles({
      'kb/metrics/dau.yaml':
        'metric: dau\nsnippet: dau.sql\nparameters: { größe: { type: number }, 期間: { type: date_range } }\n',
      'kb/snippets/dau.sql': 'SELECT {{ größe }}, {{期間.start}}, {{ 期間.end }}',
    })
    expect(kb.problems).toEqual([])
  })

  it.each([
    ['- metric: dau\n  aliases: [DAU]\n- metric: mau\n  aliases: [MAU]\n', '2 metrics'],
    ['metrics:\n  - metric: dau\n    aliases: [DAU, MAU]\n', 'a metric'],
  ])('says that a file lists metrics, and knows the words of all of them: %j', (text, what) => {
    const { problems, broken } = parseFiles({ 'kb/metrics/all.yaml': text })
    expect(problems).toMatchObject([
      {
        severity: 'error',
        path: 'kb/metrics/all.yaml',
        message: `file lists ${what} but must be one metric`,
      },
    ])
    expect(broken).toMatchObject([{ name: 'all', aliases: ['DAU', 'MAU'] }])
  })

  it('knows a file that says no words by its own name', () => {
    const kb = parseFiles({ 'kb/metrics/refund_rate.yaml': ': [' })
    expect(kb.broken).toMatchObject([{ name: 'refund_rate', aliases: ['refund rate'] }])
  })

  it('keeps the first of two metrics of one name', () => {
    const kb = parseFiles({
      ...shop,
      'kb/metrics/zz.yaml': 'metric: dau\naliases: [other]\nsnippet: dau.sql\n',
    })
    expect(kb.metrics.filter(({ name }) => name === 'dau').map(({ path }) => path)).toEqual([
      'kb/metrics/dau.yaml',
    ])
    expect(kb.problems.find(({ path }) => path === 'kb/metrics/zz.yaml')).toMatchObject({
      severity: 'error',
      line: 1,
      message: expect.stringContaining('kb/metrics/dau.yaml'),
    })
  })

  it('warns of an alias that two metrics have', () => {
    const kb = parseFiles({
      ...shop,
      'kb/metrics/zz.yaml':
        'metric: zz\naliases: [x, Best  Sellers]\nsnippet: dau.sql\nparameters: { market: { type: enum, values: [ID] }, period: { type: date_range } }\n',
    })
    expect(kb.problems).toMatchObject([
      {
        severity: 'warning',
        path: 'kb/metrics/zz.yaml',
        line: 2,
        column: 14,
        message: expect.stringContaining('products'),
      },
    ])
    expect(kb.metrics.some(({ name }) => name === 'zz')).toBe(true)
  })

  it('says that a snippet is not UTF-8', () => {
    const kb = parseFiles({ ...shop, 'kb/snippets/dau.sql': new Uint8Array([0xff, 0xfe, 0x41]) })
    expect(kb.problems).toMatchObject([
      { severity: 'error', path: 'kb/metrics/dau.yaml' },
      { severity: 'error', path: 'kb/snippets/dau.sql', message: 'file is not UTF-8' },
    ])
  })
})
