import type { Dialect } from '../../enums/dialect.js'
import { changedText, type TextChange } from '../../text/text-changes.js'
import type { SqlToken } from '../tokens.js'

/** Dialects whose texts keep the backslash of `\_` and `\%`, for LIKE to read. */
const keepsWildcardEscapes: ReadonlySet<Dialect> = new Set(['mysql', 'spark'])

/** Whether a text may have escapes that the library misreads, so that its tokens are worth a look. */
export function mayMisreadEscapes(sql: string, dialect: Dialect): boolean {
  return keepsWildcardEscapes.has(dialect) && sql.includes('\\')
}

/**
 * The text with escapes that the library reads as they are meant: it takes `\_` for `_`, which is `\_`, and Spark's `\d`
 * for `\d`, which is `d`.
 */
export function rewriteEscapes(sql: string, tokens: readonly SqlToken[], dialect: Dialect): string {
  const changes = tokens.flatMap(({ kind, text, start, end }): readonly TextChange[] => {
    if (kind !== 'string' || !/^['"]/u.test(text) || !text.includes('\\')) return []
    const written = text.replaceAll(/\\([\s\S])/gu, (pair, letter: string) => {
      if (letter === '_' || letter === '%') return `\\${pair}`
      return dialect === 'spark' && /[a-zA-Z]/u.test(letter) && !/[bnrtZuU]/u.test(letter) ? letter : pair
    })
    return written === text ? [] : [{ start, end, text: written }]
  })
  return changedText(sql, changes)
}
