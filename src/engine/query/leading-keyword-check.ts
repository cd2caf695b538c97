import type { Dialect } from '../../enums/dialect.js'
import { firstKeyword } from '../../sql-text/scan.js'
import type { Syntax } from '../../sql-text/syntax.js'

/**
 * Returns why a statement is not run, judged by its beginning alone, or undefined. This excludes statements
 * that engines treat as reading (PRAGMA, EXPLAIN, ATTACH); the security boundary is the engine's own
 * read-only mode.
 *
 * @param keywords that may begin a reading statement, upper case
 */
export function refusalByLeadingKeyword(
  sql: string,
  keywords: readonly string[],
  dialect: Dialect | Syntax,
): string | undefined {
  if (sql.includes('\0')) return 'the statement contains a NUL character'
  const keyword = firstKeyword(sql, dialect)
  if (keyword === '') return 'the statement is empty'
  if (keywords.includes(keyword)) return undefined
  return `only a single SELECT statement is allowed, and this one begins with ${shown(keyword)}`
}

/** Returns an invisible character by its number. */
function shown(keyword: string): string {
  if (!/[\p{C}\p{Default_Ignorable_Code_Point}]/u.test(keyword)) return keyword
  return `the invisible character U+${keyword.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}
