import { expect, it } from 'vitest'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser } from '../../../src/sql/parser.js'

const parser = await loadSqlParser()
const filtered =
  'WITH t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t WHERE a < 5) SELECT a FROM t WHERE a > 3'
const pushed =
  'WITH t AS (SELECT 1 AS a WHERE 1 > 3 UNION ALL SELECT a + 1 FROM t WHERE a < 5 AND a + 1 > 3) SELECT a FROM t'

it('keeps a filter on a CTE that names itself without RECURSIVE out of its body', () => {
  const database = new Database(':memory:')
  expect(database.prepare(filtered).all()).not.toEqual(database.prepare(pushed).all())
  database.close()
  for (const dialect of ['sqlite', 'snowflake'] as const) {
    expect(compareQueries(parser, filtered, pushed, dialect).kind, dialect).toBe('different')
    const marked = filtered.replace('WITH', 'WITH RECURSIVE')
    expect(compareQueries(parser, filtered, marked, dialect).kind, dialect).toBe('equal')
  }
})

it('treats the name as a table where RECURSIVE must be written', () => {
  expect(compareQueries(parser, filtered, pushed, 'postgres').kind).toBe('equal')
  expect(compareQueries(parser, filtered, filtered.replace('WITH', 'WITH RECURSIVE'), 'postgres').kind).toBe(
    'different',
  )
})
