import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Dialect, isDialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import type { SqlParser } from '../../../src/sql/parser-interface.js'
import {
  parseOutcomeCodec,
  schemaDigest,
  tokenizeOutcomeCodec,
  translateOutcomeCodec,
} from '../../../src/sql/parsing/outcome-codecs.js'
import { createPolyglotParser } from '../../../src/sql/parsing/polyglot.js'
import { useParseCache } from '../../../src/sql/persistent-parse-cache.js'
import { parseSchema, type Schema } from '../../../src/sql/tables/load-schema.js'
import { inMemoryParseCache } from '../in-memory-parse-cache.js'

interface Pair {
  readonly dialect: Dialect
  readonly a: string
  readonly b: string
}

const pairs = readFileSync(new URL('../../../bench/analytic/pairs.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((row): Record<string, unknown> => JSON.parse(row))
  .flatMap((row): Pair[] => {
    const [a, b] = [row['sql_a'] ?? row['a'], row['sql_b'] ?? row['b']].map(String)
    const dialect = String(row['dialect'] ?? row['dialect_a'] ?? 'duckdb')
    return a !== undefined && b !== undefined && isDialect(dialect) ? [{ dialect, a, b }] : []
  })

const oddTexts = [
  '',
  'DELETE FROM t',
  'SELECT FROM WHERE',
  'SELECT \'null\', NULL, a AS "names" FROM t',
  'SELECT count(*), a + 1, b AS names FROM t ORDER BY 1 NULLS FIRST',
  "SELECT '😀' AS 𝓷, x FROM {{ table.name }} -- note",
  '((((',
]

let parser: SqlParser
beforeAll(() => {
  parser = createPolyglotParser()
})

afterEach(() => useParseCache(undefined))

describe('what is kept of a query', () => {
  const texts = [...pairs.flatMap(({ dialect, a, b }) => [a, b].map((sql) => ({ dialect, sql })))]
  for (const sql of oddTexts) texts.push({ dialect: 'duckdb', sql }, { dialect: 'mysql', sql })

  it('is what was read, unnamed outputs too', () => {
    expect(texts.length).toBeGreaterThan(100)
    for (const { dialect, sql } of texts) {
      const parsed = parser.parse(sql, dialect)
      const again = parseOutcomeCodec.decode(parseOutcomeCodec.encode(parsed), sql)
      expect(again, sql).toEqual(parsed)
      // A hole is no undefined: lists are walked.
      if (again.kind === 'query' && again.shape.kind === 'select' && parsed.kind === 'query')
        expect(Object.keys(again.shape.names)).toHaveLength(again.shape.outputs.length)
      const tokens = parser.tokenize(sql, dialect)
      expect(tokenizeOutcomeCodec.decode(tokenizeOutcomeCodec.encode(tokens), sql), sql).toEqual(tokens)
    }
    const translated = { kind: 'sql', sql: 'SELECT null' } as const
    expect(translateOutcomeCodec.decode(translateOutcomeCodec.encode(translated), '')).toEqual(translated)
  })

  it('compares as what was read does', () => {
    const cache = inMemoryParseCache()
    useParseCache(cache)
    const first = pairs.map(({ dialect, a, b }) => compareQueries(createPolyglotParser(), a, b, dialect))
    const kept = cache.bodies.size
    const second = pairs.map(({ dialect, a, b }) => compareQueries(createPolyglotParser(), a, b, dialect))
    expect(second).toEqual(first)
    expect(cache.bodies.size).toBe(kept)
  })
})

it('schemas have the same digest only where they have the same tables', () => {
  const schema = (ddl: string): Schema => parseSchema(parser, ddl, 'sqlite')
  const one = schema('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)')
  expect(schemaDigest(one)).toBe(schemaDigest(schema('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)')))
  for (const other of [
    'CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL)',
    'CREATE TABLE t (a INTEGER, b TEXT)',
    'CREATE TABLE t (a INTEGER PRIMARY KEY, c TEXT)',
  ])
    expect(schemaDigest(schema(other)), other).not.toBe(schemaDigest(one))
  expect(schemaDigest(undefined)).toBe('')
})
