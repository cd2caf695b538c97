import type { Dialect } from '../../src/enums/dialect.js'
import type { SqlParser } from '../../src/sql/index.js'
import { scan } from '../../src/sql-text/scan.js'

/**
 * Returns where the scanner and the parser library disagree about a text, in words; undefined if they agree on each of its
 * characters, or the library cannot read it.
 */
export function disagreement(parser: SqlParser, sql: string, dialect: Dialect): string | undefined {
  const read = parser.tokenize(sql, dialect)
  if (read.kind === 'failed') return undefined
  // Comments and white space are what the library leaves out.
  const library = new Array<string>(sql.length).fill('gap')
  for (const { kind, text, start, end } of read.tokens) {
    const prefix =
      kind === 'string' || kind === 'quoted' ? (/^[\p{L}&]+(?=['"])/u.exec(text)?.[0].length ?? 0) : 0
    library.fill('code', start, start + prefix)
    library.fill(kind === 'string' || kind === 'quoted' ? kind : 'code', start + prefix, end)
  }
  // It keeps hints, which are comments to what runs.
  for (const { 0: hint, index } of sql.matchAll(/\/\*\+[\s\S]*?\*\//g))
    library.fill('gap', index, index + hint.length)
  const own = new Array<string>(sql.length).fill('gap')
  for (const { kind, start, end } of scan(sql, dialect)) {
    if (kind === 'text') own.fill('string', start, end)
    else if (kind === 'name') own.fill('quoted', start, end)
    else if (kind === 'code')
      for (let at = start; at < end; at++) if (/\S/.test(sql.charAt(at))) own[at] = 'code'
  }
  // A placeholder may hold blanks.
  const at = own.findIndex((kind, index) => kind !== library[index] && /\S/.test(sql.charAt(index)))
  if (at < 0) return undefined
  return `${dialect}: at ${at} the library reads ${library[at]}, the scanner ${own[at]}: …${sql.slice(Math.max(0, at - 30), at + 30)}…`
}
