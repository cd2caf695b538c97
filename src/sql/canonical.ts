import type { Dialect } from '../dialect.js'
import { fullForm } from './form.js'
import type { SqlParser } from './port.js'
import { Assumptions } from './relational/assumptions.js'
import type { Schema } from './tables.js'

/**
 * The canonical form of a query, undefined when it cannot be parsed. Queries with one form mean the same, without
 * any assumption; the form depends on nothing but the arguments.
 */
export function canonicalForm(
  parser: SqlParser,
  sql: string,
  dialect: Dialect,
  schema?: Schema | undefined,
): string | undefined {
  const parsed = parser.parse(sql, dialect, schema)
  if (parsed.kind !== 'query') return undefined
  return fullForm(parsed.shape, { dialect, other: dialect, schema, assumptions: new Assumptions(new Set()) })
    .text
}
