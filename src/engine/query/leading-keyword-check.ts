/** How the engine's lexer treats what may precede a statement. */
export interface LeadingSyntax {
  /** Keywords that may begin a reading statement, upper case. */
  readonly keywords: readonly string[]
  readonly nestedComments: boolean
}

/**
 * Returns why a statement is not run, judged by its beginning alone, or undefined. This excludes statements
 * that engines treat as reading (PRAGMA, EXPLAIN, ATTACH); the security boundary is the engine's own
 * read-only mode.
 */
export function refusalByLeadingKeyword(sql: string, syntax: LeadingSyntax): string | undefined {
  if (sql.includes('\0')) return 'the statement contains a NUL character'
  const keyword = firstKeyword(sql, syntax.nestedComments)
  if (keyword === '') return 'the statement is empty'
  if (syntax.keywords.includes(keyword)) return undefined
  return `only a single SELECT statement is allowed, and this one begins with ${shown(keyword)}`
}

/** Returns an invisible character by its number. */
function shown(keyword: string): string {
  if (!/[\p{C}\p{Default_Ignorable_Code_Point}]/u.test(keyword)) return keyword
  return `the invisible character U+${keyword.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/**
 * Returns the first word in upper case, or the first character, after white space, comments and opening
 * parentheses.
 */
function firstKeyword(sql: string, nestedComments: boolean): string {
  let at = 0
  while (at < sql.length) {
    if (/[\s(\uFEFF]/.test(sql.charAt(at))) at += 1
    else if (sql.startsWith('--', at)) at = afterLine(sql, at)
    else if (sql.startsWith('/*', at)) at = afterComment(sql, at, nestedComments)
    else return (/^\w+/.exec(sql.slice(at, at + 40))?.[0] ?? sql.charAt(at)).toUpperCase()
  }
  return ''
}

function afterLine(sql: string, at: number): number {
  const end = sql.indexOf('\n', at)
  return end < 0 ? sql.length : end + 1
}

function afterComment(sql: string, start: number, nested: boolean): number {
  let depth = 1
  let at = start + 2
  while (at < sql.length && depth > 0) {
    if (sql.startsWith('*/', at)) depth -= 1
    else if (nested && sql.startsWith('/*', at)) depth += 1
    else {
      at += 1
      continue
    }
    at += 2
  }
  return at
}
