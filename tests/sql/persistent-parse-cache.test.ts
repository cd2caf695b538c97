import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Dialect, isDialect } from '../../src/enums/dialect.js'
import { compareQueries } from '../../src/sql/compare.js'
import type { SqlParser } from '../../src/sql/parser-interface.js'
import {
  parseOutcomeCodec,
  schemaDigest,
  tokenizeOutcomeCodec,
  translateOutcomeCodec,
} from '../../src/sql/parsing/outcome-codecs.js'
import { createPolyglotParser } from '../../src/sql/parsing/polyglot.js'
import { type ParseCache, readThroughCache, useParseCache } from '../../src/sql/persistent-parse-cache.js'
import type { Schema } from '../../src/sql/tables/load-schema.js'
import { parseSchema } from '../../src/sql/tables/load-schema.js'

interface Pair {
  readonly dialect: Dialect
  readonly a: string
  readonly b: string
}

const pairs = readFileSync(new URL('../../bench/analytic/pairs.jsonl', import.meta.url), 'utf8')
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

function inMemory(): ParseCache & { readonly bodies: Map<string, string>; reads: number } {
  const bodies = new Map<string, string>()
  return {
    bodies,
    reads: 0,
    get isEmpty() {
      return bodies.size === 0
    },
    get(key) {
      this.reads++
      return bodies.get(key)
    },
    set: (key, body) => void bodies.set(key, body),
  }
}

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
    const cache = inMemory()
    useParseCache(cache)
    const first = pairs.map(({ dialect, a, b }) => compareQueries(createPolyglotParser(), a, b, dialect))
    const kept = cache.bodies.size
    const second = pairs.map(({ dialect, a, b }) => compareQueries(createPolyglotParser(), a, b, dialect))
    expect(second).toEqual(first)
    expect(cache.bodies.size).toBe(kept)
  })
})

describe('a text', () => {
  const codec = { encode: (outcome: string) => outcome, decode: (body: string) => body }

  it('is read once for each operation, dialect and schema', () => {
    useParseCache(inMemory())
    let reads = 0
    const read = (asked: readonly string[], text: string): string =>
      readThroughCache(codec, asked, text, () => `read ${++reads}`)
    for (const _ of [1, 2]) {
      expect(read(['parse', 'duckdb', ''], 'SELECT 1')).toBe('read 1')
      expect(read(['parse', 'sqlite', ''], 'SELECT 1')).toBe('read 2')
      expect(read(['tokenize', 'sqlite', ''], 'SELECT 1')).toBe('read 3')
      expect(read(['parse', 'sqlite', ''], 'SELECT 2')).toBe('read 4')
    }
  })

  it('that cannot be read for now is read again', () => {
    const cache = inMemory()
    useParseCache(cache)
    const failing = (): string => {
      throw new Error('out of memory')
    }
    expect(() => readThroughCache(codec, ['parse'], 'SELECT 1', failing)).toThrow('out of memory')
    expect(cache.bodies.size).toBe(0)
  })

  it('of a megabyte is neither looked up nor kept', () => {
    const cache = inMemory()
    useParseCache(cache)
    readThroughCache(codec, ['parse'], `SELECT '${'x'.repeat(1_000_000)}'`, () => 'read')
    expect(cache.reads + cache.bodies.size).toBe(0)
  })
})

it('schemas of the same tables have the same digest, others another', () => {
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
