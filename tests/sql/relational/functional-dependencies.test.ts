import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'

type Engine = 'sqlite' | 'duckdb'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function kindOf(engine: Engine, a: string, b: string, schema?: string): string {
  const options = schema === undefined ? {} : { schema: parseSchema(parser, schema, engine) }
  return compareQueries(parser, a, b, engine, options).kind
}

describe('primary keys', () => {
  const setup = 'CREATE TABLE t (id TEXT PRIMARY KEY, a INTEGER);'

  // SQLite lets a NULL into such a key: a fault of the data, which a declared key is taken to rule out.
  it.each([
    ['SELECT count(id) FROM t', 'SELECT count(*) FROM t'],
    ['SELECT DISTINCT id FROM t', 'SELECT id FROM t'],
  ])('make %s equal to %s, which they are not without the key', (a, b) => {
    for (const dialect of ['sqlite', 'duckdb'] as const) {
      expect(kindOf(dialect, a, b, setup)).toBe('equal')
      expect(kindOf(dialect, a, b, setup.replace(' PRIMARY KEY', ''))).not.toBe('equal')
    }
  })
})
