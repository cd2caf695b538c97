import { expect, it } from 'vitest'
import type { Engine } from '../../src/engine/contract/engine.js'
import { lintKnowledge } from '../../src/lint/lint.js'
import { createSnapshot } from '../../src/snapshot/snapshot.js'
import { loadSqlParser } from '../../src/sql/index.js'

const metric = `metric: gmv
title: Gross merchandise value
aliases: [GMV]
snippet: gmv.sql
parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }
  by: { type: choice, default: day, values: { day: { sql: day }, status: { sql: status, aliases: [state] } } }
`
const snippet =
  "SELECT {{ by }} AS k, sum(amount) AS gmv FROM shop.orders WHERE market = {{ market }} AND status = 'paid' GROUP BY 1\n"
const clean = { 'kb/metrics/gmv.yaml': metric, 'kb/snippets/gmv.sql': snippet }

/** Knows one table, and refuses what names a column that it has not, as a database does. */
const engine = (asked: string[] = []): Engine => ({
  url: 'test:shop',
  dialect: 'duckdb',
  query: () => Promise.reject(new Error('a check runs no query')),
  explain(sql) {
    asked.push(sql)
    const unknown = /\b(nope|gone)\b/.exec(sql)?.[1]
    return Promise.resolve(
      unknown === undefined
        ? { kind: 'rows', result: { columns: [], rows: [], cut: null }, ms: 0 }
        : { kind: 'failed', message: `no column "${unknown}"\nLINE 1` },
    )
  },
  catalogue: () =>
    Promise.resolve({
      tables: [
        {
          name: 'shop.orders',
          columns: ['market', 'day', 'status', 'amount', 'is_test'].map((name) => ({ name, type: 'text' })),
        },
      ],
    }),
  fingerprint: () => Promise.resolve('1'),
  close: () => Promise.resolve(),
})

async function lint(files: Readonly<Record<string, string>>, on: Engine | undefined = engine()) {
  const snapshot = createSnapshot(
    new Map(
      Object.entries({ ...clean, ...files }).map(([path, text]) => [path, new TextEncoder().encode(text)]),
    ),
  )
  const { findings } = await lintKnowledge(snapshot, 'kb', {
    parser: await loadSqlParser(),
    dialect: 'duckdb',
    engine: on,
    limits: { timeoutMs: 1000, rows: 10, bytes: 1000, memoryBytes: 1e9 },
    readsData: false,
    unread: [],
    absent: [],
  })
  return findings.map(
    ({ rule, severity, path, line, column, message }) =>
      `${severity} ${rule} ${path}:${line}:${column} ${message}`,
  )
}

it('has nothing to say of a clean knowledge base, and explains each value once', async () => {
  const asked: string[] = []
  expect(await lint({}, engine(asked))).toEqual([])
  expect(asked).toHaveLength(3)
  expect(asked.filter((sql) => sql.includes("'TH'"))).toHaveLength(1)
  expect(asked.filter((sql) => sql.includes('status AS k'))).toHaveLength(1)
})

it.each([
  [
    'a query that the database refuses',
    { 'kb/snippets/gmv.sql': snippet.replace('amount', 'nope') },
    ['error sql_fails kb/snippets/gmv.sql:1:1 does not run: no column "nope"'],
  ],
  [
    'an expression of one value that the database refuses',
    { 'kb/metrics/gmv.yaml': metric.replace('sql: status', 'sql: gone') },
    ['error sql_fails kb/snippets/gmv.sql:1:1 does not run: no column "gone"'],
  ],
  [
    'a snippet that no metric names, which must run all the same',
    { 'kb/snippets/old.sql': 'SELECT gone FROM shop.orders' },
    [
      'warning unused_snippet kb/snippets/old.sql:1:1 no metric uses this snippet',
      'error sql_fails kb/snippets/old.sql:1:1 does not run: no column "gone"',
    ],
  ],
  [
    'one word for two values',
    { 'kb/metrics/gmv.yaml': metric.replace('TH: [Thailand]', 'TH: [Thailand, Indonesia]') },
    ['warning colliding_words kb/metrics/gmv.yaml:6:'],
  ],
  [
    'one word for a value and a metric',
    { 'kb/metrics/gmv.yaml': metric.replace('[state]', '[gmv]') },
    ['warning colliding_words kb/metrics/gmv.yaml:7:'],
  ],
  [
    'a note that names a column there is not',
    {
      'kb/notes/n.md':
        '# N\n\nLeave out `is_tset` and `is_test`, but `BETWEEN a AND b` and `shop.orders` are fine.\n',
    },
    ['warning unknown_name kb/notes/n.md:3:12 `is_tset` is not a table, column or entry'],
  ],
  [
    'a note that contradicts every query',
    { 'kb/notes/n.md': "Money counts when `status = 'complete'`.\n" },
    [
      "warning text_contradicts_sql kb/notes/n.md:1:20 says `status = 'complete'`, but no query has it: it is 'paid' in gmv.sql",
    ],
  ],
  [
    'a title that promises what the query does not do',
    { 'kb/metrics/gmv.yaml': metric.replace('Gross merchandise value', 'Average order value') },
    ['warning text_contradicts_sql kb/metrics/gmv.yaml:2:1 the title says "Average order value"'],
  ],
  [
    'an entry that cannot be used',
    { 'kb/metrics/gmv.yaml': metric.replace('gmv.sql', 'gvm.sql') },
    ['error invalid_entry kb/metrics/gmv.yaml:4:', 'warning unused_snippet'],
  ],
  [
    'a metric that cannot be used, whose snippet is not idle for that',
    { 'kb/metrics/gmv.yaml': metric.replace('metric: gmv', 'metrik: gmv') },
    ['error invalid_entry kb/metrics/gmv.yaml:', 'error invalid_entry kb/metrics/gmv.yaml:'],
  ],
])('finds %s', async (_, files, expected) => {
  const found = await lint(files)
  expect(found).toHaveLength(expected.length)
  for (const [at, start] of expected.entries()) expect(found[at]).toMatch(new RegExp(`^${escaped(start)}`))
})

it('without a database still parses: the place of the fault is that of the snippet', async () => {
  const broken = { 'kb/snippets/gmv.sql': `${snippet.trimEnd()}\n  ORDER BY FROM\n` }
  const [found] = await lint(broken, undefined)
  expect(found).toMatch(/^error sql_unparsable kb\/snippets\/gmv\.sql:2:\d+ cannot be parsed: /)
})

it.each([
  ['a note that agrees with one query of several', "`status = 'paid'`"],
  ['a condition on a column that no query tests', "`channel = 'web'`"],
  ['text that is no code', "status = 'complete' and is_tset"],
])('says nothing of %s', async (_, text) => {
  expect(await lint({ 'kb/notes/n.md': text })).toEqual([])
})

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
