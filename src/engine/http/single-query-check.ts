import { refusalByLeadingKeyword } from '../query/leading-keyword-check.js'

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
  const bare = sql.replace(opaque, (text) => (/^['"`]/.test(text) ? 'x' : ' '))
  return /;\s*[^\s;]/.test(bare) ? 'only a single SELECT statement is allowed' : undefined
}
