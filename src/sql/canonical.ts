import type { Dialect } from '../dialect.js'
import { normalize } from './normalize/normalize.js'
import type { SqlParser } from './port.js'
import { printQuery } from './print.js'

/** The canonical form of a query, undefined when it cannot be parsed; two queries are equal iff theirs are. */
export function canonicalForm(parser: SqlParser, sql: string, dialect: Dialect): string | undefined {
  const parsed = parser.parse(sql, dialect)
  return parsed.kind === 'query'
    ? printQuery(normalize(parsed.shape, dialect), { qualify: false }).text
    : undefined
}
