import { LRUCache } from 'lru-cache'
import type { Dialect } from '../../enums/dialect.js'
import type { ParseOutcome, SqlParser } from '../parser-interface.js'
import type { Schema } from '../tables/table-schema.js'

/**
 * Queries remembered: expected ones that repairs come back to, and answers that many cases have in common. A reading takes
 * about 3 kB, or 13 times the text.
 */
const cacheLimits = { max: 256, maxSize: 250_000, sizeCalculation: (_: unknown, key: string) => key.length }

/** The parser, reading a text once that several ask about: a query's row order and its structure, say. */
export function withMemoryCache(parser: SqlParser): SqlParser {
  const withoutSchema = createCachedParse(parser)
  const bySchema = new WeakMap<Schema, SqlParser['parse']>()
  const memoryOf = (schema: Schema): SqlParser['parse'] => {
    const known = bySchema.get(schema) ?? createCachedParse(parser)
    bySchema.set(schema, known)
    return known
  }
  return {
    ...parser,
    parse: (sql, dialect, schema) =>
      (schema === undefined ? withoutSchema : memoryOf(schema))(sql, dialect, schema),
  }
}

function createCachedParse(parser: SqlParser): SqlParser['parse'] {
  const known = new LRUCache<string, ParseOutcome>(cacheLimits)
  return (sql: string, dialect: Dialect, schema?: Schema) => {
    const key = `${dialect} ${sql}`
    const outcome = known.get(key) ?? parser.parse(sql, dialect, schema)
    known.set(key, outcome)
    return outcome
  }
}
