import type { Dialect } from '../../dialect.js'
import { canonicalForm } from '../../sql/canonical.js'
import { compareQueries } from '../../sql/compare.js'
import type { SqlParser } from '../../sql/parser.js'

/**
 * What tests whether queries say the same as an expected one: by canonical form, or, where one of them leaves out
 * qualifiers that the other has, as scoring compares them. Undefined where the expected query cannot be read.
 */
export function gateFor(
  parser: SqlParser,
  expectedSql: string,
  dialect: Dialect,
): ((sql: string) => boolean) | undefined {
  const target = canonicalForm(parser, expectedSql, dialect)
  if (target === undefined) return undefined
  return (sql) =>
    canonicalForm(parser, sql, dialect) === target ||
    compareQueries(parser, expectedSql, sql, dialect).kind === 'equal'
}
