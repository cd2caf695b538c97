import { quoteName } from '../../../engine/query/quote-names.js'
import type { Dialect } from '../../../enums/dialect.js'
import { renderLiteral } from '../../../sql/index.js'

const backticks: ReadonlySet<Dialect> = new Set(['mysql', 'bigquery', 'spark'])

export function quoteNameIn(name: string, dialect: Dialect): string {
  return backticks.has(dialect)
    ? `\`${name.replaceAll('`', dialect === 'bigquery' ? '\\`' : '``')}\``
    : quoteName(name)
}

/** Quotes a text whatever the server's settings say of backslashes. */
export function quoteTextIn(text: string, dialect: Dialect): string {
  if (!text.includes('\\')) return renderLiteral({ kind: 'text', text }, dialect)
  if (dialect === 'mysql') return `CONVERT(0x${Buffer.from(text).toString('hex')} USING utf8mb4)`
  if (dialect === 'postgres') return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
  return renderLiteral({ kind: 'text', text }, dialect)
}
