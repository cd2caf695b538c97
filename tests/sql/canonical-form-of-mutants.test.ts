import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalForm } from '../../src/sql/canonical-form.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../src/sql/tables/load-schema.js'

const bench = new URL('../../bench/', import.meta.url)
let parser: SqlParser
let present: boolean
beforeAll(async () => {
  parser = await loadSqlParser()
  present = (await import(new URL('compare-data.js', bench).href)).present
})

describe('queries and mutants with one canonical form', () => {
  it('have the same rows, on real, fuzzed and NULL-injected data', async (context) => {
    context.skip(!present, 'the databases are not here')
    const { proveByData } = await import(new URL('compare-proof.js', bench).href)
    const proof = proveByData(
      (sql: string, schema: Schema) => canonicalForm(parser, sql, 'sqlite', schema),
      (ddl: string) => parseSchema(parser, ddl, 'ansi'),
      40,
      2,
      2,
    )
    expect(proof.queries).toBeGreaterThan(200)
    expect(proof.failures).toEqual([])
  })
})
