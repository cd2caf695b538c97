import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { type Dialect, dialects, isDialect } from '../../src/enums/dialect.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/index.js'
import { needsShared } from '../needs.js'
import { disagreement } from './library-tokens.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

/** What every dialect of the list has, and what one alone has. */
const sample: readonly (readonly [readonly Dialect[], string])[] = [
  [dialects, "SELECT a, 'it''s' AS b FROM t -- '\nWHERE c = '--' /* ' */ AND d <> '/*'"],
  [
    ['postgres', 'duckdb', 'sqlite', 'trino', 'presto', 'snowflake', 'redshift', 'ansi'],
    `SELECT "a""b", '"' FROM "c'd"`,
  ],
  [['postgres', 'duckdb'], String.raw`SELECT E'it\'s', $$it's$$, $q$ $$ $q$, '\' /* /* ' */ */`],
  [['mysql', 'bigquery', 'spark'], String.raw`SELECT 'it\'s', "a\"b" FROM ${'`c d`'}`],
  [['mysql'], "SELECT 1, 2 # it's\n -- it's\n, `a``b`"],
  [['bigquery'], `SELECT '''it's''', """a "b" c""" FROM \`a.b.c\` # it's`],
  [['sqlite'], "SELECT [a'b], `c'd` FROM t"],
  [['snowflake'], "SELECT $$it's$$ // it's\n, 'it\\'s'"],
]

it.each(sample.flatMap(([of, sql]) => of.map((dialect) => [dialect, sql] as const)))(
  'the scanner reads as the library does: %s %j',
  (dialect, sql) => {
    expect(parser.tokenize(sql, dialect).kind).toBe('tokens')
    expect(disagreement(parser, sql, dialect)).toBeUndefined()
  },
)

it('the scanner reads every query of the corpora as the library does', needsShared('corpora'), () => {
  const queries = corpusQueries()
  expect(queries.length).toBeGreaterThan(5000)
  expect(queries.flatMap(({ sql, dialect }) => disagreement(parser, sql, dialect) ?? [])).toEqual([])
})

function corpusQueries(): { readonly sql: string; readonly dialect: Dialect }[] {
  const folder = '../shared/corpora'
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((name) => /^(?:queries_|pairs_|outside_).*\.jsonl$/.test(name))
  const rows = files.flatMap((name) =>
    readFileSync(`${folder}/${name}`, 'utf8')
      .trim()
      .split('\n')
      .map((line): Readonly<Record<string, string>> => JSON.parse(line)),
  )
  return rows.flatMap(({ dialect = 'sqlite', sql, sql_a: first, sql_b: second }) => {
    const [own = '', other = own] = dialect.split('~')
    return [[sql ?? first, own] as const, [second, other] as const].flatMap(([text, of]) =>
      text !== undefined && isDialect(of) ? [{ sql: text, dialect: of }] : [],
    )
  })
}
