import type { Dialect } from '../../../../enums/dialect.js'
import {
  areEquivalent,
  canonicalForm,
  isEqualIgnoringOrder,
  type Schema,
  type SqlParser,
} from '../../../../sql/index.js'

/** Tests queries against an expected one. */
export interface EquivalenceGate {
  /** Reports whether the query is equivalent, its order included. */
  readonly isEquivalent: (sql: string) => boolean
  /**
   * Reports whether the query is equivalent except for an ORDER BY where the expected query has none: then
   * any order is right.
   */
  readonly isAcceptable: (sql: string) => boolean
}

/**
 * Returns a test of queries for equivalence with an expected one: by canonical form or, if only one of the
 * queries qualifies its columns, the way scoring compares them: the schema determines which of several tables
 * a column belongs to. Undefined if the expected query cannot be parsed.
 */
export function createEquivalenceGate(
  parser: SqlParser,
  expectedSql: string,
  dialect: Dialect,
  schema?: Schema | undefined,
): EquivalenceGate | undefined {
  const target = canonicalForm(parser, expectedSql, dialect)
  if (target === undefined) return undefined
  const isEquivalent = (sql: string): boolean =>
    canonicalForm(parser, sql, dialect) === target ||
    areEquivalent(parser, expectedSql, sql, dialect, { schema })
  return {
    isEquivalent,
    isAcceptable: (sql) => isEquivalent(sql) || isEqualIgnoringOrder(parser, expectedSql, sql, dialect),
  }
}
