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
  /** Says the same, order and all. */
  readonly isEquivalent: (sql: string) => boolean
  /** Says the same, but for an order of its rows where the expected query asks for none: any order is right then. */
  readonly isAcceptable: (sql: string) => boolean
}

/**
 * What tests whether queries say the same as an expected one: by canonical form, or, where one of them leaves out
 * qualifiers that the other has, as scoring compares them: a schema tells of which of several tables a column is.
 * Undefined where the expected query cannot be read.
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
