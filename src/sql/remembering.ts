import { LRUCache } from 'lru-cache'
import type { Dialect } from '../dialect.js'
import type { ParseOutcome, SqlParser } from './port.js'
import type { Schema } from './tables.js'

/** Queries remembered: those of the cases that are scored at one time, and the expected ones that repairs come back to. */
const remembered = 64

/** The parser, reading a text once that several ask about: a query's row order and its structure, say. */
export function remembering(parser: SqlParser): SqlParser {
  const withoutSchema = createMemory(parser)
  const bySchema = new WeakMap<Schema, SqlParser['parse']>()
  const memoryOf = (schema: Schema): SqlParser['parse'] => {
    const known = bySchema.get(schema) ?? createMemory(parser)
    bySchema.set(schema, known)
    return known
  }
  return {
    ...parser,
    parse: (sql, dialect, schema) =>
      (schema === undefined ? withoutSchema : memoryOf(schema))(sql, dialect, schema),
  }
}

function createMemory(parser: SqlParser): SqlParser['parse'] {
  const known = new LRUCache<string, ParseOutcome>({ max: remembered })
  return (sql: string, dialect: Dialect, schema?: Schema) => {
    const key = `${dialect} ${sql}`
    const outcome = known.get(key) ?? parser.parse(sql, dialect, schema)
    known.set(key, outcome)
    return outcome
  }
}
