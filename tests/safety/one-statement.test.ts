import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { refusalReason } from '../../src/engine/query/single-query-check.js'
import { Sqlite } from '../../src/platform/sqlite.js'
import { statements } from '../../src/sql-text/scan.js'

// A text of several statements is not taken for one, however its semicolons are quoted. The truth is the engine, which takes
// the text apart.

// Shared with bench/quoting.js.
const { quotedTexts } = await import(new URL('../../bench/quoting/texts.js', import.meta.url).href)
const texts = (dialect: string): Iterable<string> => quotedTexts(dialect, 11, 2000)

it('DuckDB finds as many statements in a text as are counted', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const wrong: string[] = []
  let several = 0
  for (const sql of texts('duckdb')) {
    const found = await connection.extractStatements(sql).catch(() => undefined)
    if (found === undefined) continue
    if (found.count > 1) several++
    if (found.count !== statements(sql, 'duckdb')) wrong.push(sql)
  }
  instance.closeSync()
  expect(wrong).toEqual([])
  expect(several).toBeGreaterThan(50)
})

it('SQLite finds more than one statement where more than one is counted', () => {
  const db = new Sqlite(':memory:')
  db.function('canary', { varargs: true }, () => 1)
  const wrong: string[] = []
  let several = 0
  for (const sql of texts('sqlite')) {
    const isSeveral = hasSeveral(db, sql)
    if (isSeveral === true) several++
    if (isSeveral !== undefined && isSeveral !== statements(sql, 'sqlite') > 1) wrong.push(sql)
  }
  db.close()
  expect(wrong).toEqual([])
  expect(several).toBeGreaterThan(50)
})

/** Returns undefined where the first statement cannot be prepared: nothing is known of the rest. */
function hasSeveral(db: InstanceType<typeof Sqlite>, sql: string): boolean | undefined {
  try {
    db.prepare(sql)
    return false
  } catch (error) {
    return /more than one statement/.test(String(error)) ? true : undefined
  }
}

it.each([
  ["SELECT $$'$$; DROP TABLE t; SELECT $$'$$", 'postgres'],
  [String.raw`SELECT '\''; DROP TABLE t; -- '`, 'mysql'],
  [`SELECT '''it's''' ; DROP TABLE t; SELECT '''`, 'bigquery'],
  ["SELECT 1 // '\n; DROP TABLE t -- '", 'snowflake'],
] as const)('a service is not sent %j', (sql, dialect) => {
  expect(refusalReason(sql, dialect)).toMatch(/single SELECT/)
})
