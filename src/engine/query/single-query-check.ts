import { refusalByLeadingKeyword } from './leading-keyword-check.js'

const leading = { keywords: ['SELECT', 'WITH', 'VALUES'], nestedComments: false }

/** Matches the parts of a statement in which a semicolon does not end it. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/**
 * Returns why a statement is not sent, or undefined. This spares the service obvious non-queries; the
 * security boundary is the service, which should run with a read-only user.
 */
export function refusalReason(sql: string): string | undefined {
  const byBeginning = refusalByLeadingKeyword(sql, leading)
  if (byBeginning !== undefined) return byBeginning
  return /;\s*[^\s;]/.test(codeOf(sql)) ? 'only a single SELECT statement is allowed' : undefined
}

/** Returns a statement without the semicolons at its end, and what follows them. */
export function withoutTerminator(sql: string): string {
  const end = /[\s;]*$/.exec(codeOf(sql))
  return end?.[0].includes(';') === true ? sql.slice(0, end.index) : sql
}

/** Returns the statement with its texts, names and comments blanked out, each character at its place. */
function codeOf(sql: string): string {
  return sql.replace(opaque, (text) => (/^['"`]/.test(text) ? 'x' : ' ').repeat(text.length))
}
