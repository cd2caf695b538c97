import type { Dialect } from '../../enums/dialect.js'
import { scan } from '../../sql-text/scan.js'

/** A MySQL text with its `#` comments as blanks, so that places in it stay what they are. */
export function blankHashComments(sql: string, dialect: Dialect): string {
  if (dialect !== 'mysql' || !sql.includes('#')) return sql
  return scan(sql, dialect)
    .map(({ kind, start, end }) =>
      kind === 'comment' && sql[start] === '#' ? ' '.repeat(end - start) : sql.slice(start, end),
    )
    .join('')
}
