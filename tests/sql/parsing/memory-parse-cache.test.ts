import { expect, test } from 'vitest'
import { loadSqlParser } from '../../../src/sql/parser.js'
import type { SqlParser } from '../../../src/sql/parser-interface.js'
import { withMemoryCache } from '../../../src/sql/parsing/memory-parse-cache.js'

async function counted(): Promise<{ readonly parser: SqlParser; readonly read: string[] }> {
  const real = await loadSqlParser()
  const read: string[] = []
  const parser = withMemoryCache({
    ...real,
    parse(sql, dialect, schema) {
      read.push(sql)
      return real.parse(sql, dialect, schema)
    },
  })
  return { parser, read }
}

test('a text is read once, in each dialect and with each schema', async () => {
  const { parser, read } = await counted()
  const schema = { tables: new Map() }
  for (const _ of [1, 2]) {
    parser.parse('SELECT a FROM t', 'duckdb')
    parser.parse('SELECT a FROM t', 'sqlite')
    parser.parse('SELECT a FROM t', 'duckdb', schema)
    parser.parse('SELECT b FROM t', 'duckdb')
  }
  expect(read).toHaveLength(4)
})

test('what is remembered is what was read, errors too', async () => {
  const { parser } = await counted()
  const first = parser.parse('SELECT FROM WHERE', 'duckdb')
  expect(first.kind).toBe('unparsable')
  expect(parser.parse('SELECT FROM WHERE', 'duckdb')).toEqual(first)
})

test('memory is bounded: what was long ago is read again', async () => {
  const { parser, read } = await counted()
  for (let i = 0; i < 1200; i++) parser.parse(`SELECT ${i}`, 'duckdb')
  parser.parse('SELECT 1199', 'duckdb')
  expect(read).toHaveLength(1200)
  parser.parse('SELECT 0', 'duckdb')
  expect(read).toHaveLength(1201)
})

test('long texts are remembered in smaller number, and the longest not at all', async () => {
  const { parser, read } = await counted()
  const long = (first: string, length: number) => `SELECT ${first}, '${'x'.repeat(length)}'`
  for (const first of ['1', '2', '3', '1']) parser.parse(long(first, 100_000), 'duckdb')
  expect(read).toHaveLength(4)
  for (const _ of [1, 2]) parser.parse(long('1', 250_000), 'duckdb')
  expect(read).toHaveLength(6)
  parser.parse(long('1', 100_000), 'duckdb')
  expect(read).toHaveLength(6)
})
