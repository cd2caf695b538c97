import type { Dialect } from '../../enums/dialect.js'

const hashComments =
  /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`|--(?=\s|$)[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*/gu

/** A MySQL text with its `#` comments as blanks, so that places in it stay what they are. */
export function blankHashComments(sql: string, dialect: Dialect): string {
  if (dialect !== 'mysql' || !sql.includes('#')) return sql
  return sql.replaceAll(hashComments, (part) => (part.startsWith('#') ? ' '.repeat(part.length) : part))
}
