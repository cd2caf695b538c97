import { afterEach, describe, expect, it } from 'vitest'
import { readThroughCache, useParseCache } from '../../src/sql/persistent-parse-cache.js'
import { inMemoryParseCache } from './in-memory-parse-cache.js'

afterEach(() => useParseCache(undefined))

describe('a text in the parse cache', () => {
  const codec = { encode: (outcome: string) => outcome, decode: (body: string) => body }

  it('is read once for each operation, dialect and schema', () => {
    useParseCache(inMemoryParseCache())
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
    const cache = inMemoryParseCache()
    useParseCache(cache)
    const failing = (): string => {
      throw new Error('out of memory')
    }
    expect(() => readThroughCache(codec, ['parse'], 'SELECT 1', failing)).toThrow('out of memory')
    expect(cache.bodies.size).toBe(0)
  })

  it('of a megabyte is neither looked up nor kept', () => {
    const cache = inMemoryParseCache()
    useParseCache(cache)
    readThroughCache(codec, ['parse'], `SELECT '${'x'.repeat(1_000_000)}'`, () => 'read')
    expect(cache.reads + cache.bodies.size).toBe(0)
  })
})
