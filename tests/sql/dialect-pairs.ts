import { expect } from 'vitest'
import { isDialect } from '../../src/enums/dialect.js'
import { type CompareOptions, compareQueryPair, type DialectQuery } from '../../src/sql/compare.js'
import type { SqlParser } from '../../src/sql/parser.js'
import type { StructuralComparison } from '../../src/sql/structural-comparison.js'

/** `postgres: log(x)`: an expression over table t, or a whole query, in a dialect. */
function sideOf(text: string): DialectQuery {
  const at = text.indexOf(':')
  const dialect = text.slice(0, at)
  if (!isDialect(dialect)) throw new Error(`${text}: it begins with no dialect`)
  const sql = text.slice(at + 1).trim()
  return { dialect, sql: /^select\b/iu.test(sql) ? sql : `SELECT ${sql} FROM t` }
}

export function comparePair(
  parser: SqlParser,
  expected: string,
  generated: string,
  options: CompareOptions = {},
): StructuralComparison {
  return compareQueryPair(parser, sideOf(expected), sideOf(generated), options)
}

/** The verdict, which has to be the same the other way round. */
export function kindBothWays(parser: SqlParser, expected: string, generated: string): string {
  const { kind } = comparePair(parser, expected, generated)
  expect(comparePair(parser, generated, expected).kind).toBe(kind)
  return kind
}
