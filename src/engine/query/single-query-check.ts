import type { Dialect } from '../../enums/dialect.js'
import { statements } from '../../sql-text/scan.js'
import type { Syntax } from '../../sql-text/syntax.js'
import { refusalByLeadingKeyword } from './leading-keyword-check.js'

const keywords = ['SELECT', 'WITH', 'VALUES']

/**
 * Returns why a statement is not sent, or undefined. This spares the service obvious non-queries; the
 * security boundary is the service, which should run with a read-only user.
 */
export function refusalReason(sql: string, dialect: Dialect | Syntax): string | undefined {
  const byBeginning = refusalByLeadingKeyword(sql, keywords, dialect)
  if (byBeginning !== undefined) return byBeginning
  return statements(sql, dialect) > 1 ? 'only a single SELECT statement is allowed' : undefined
}
