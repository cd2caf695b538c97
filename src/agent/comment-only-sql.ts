import { scan } from '../sql-text/scan.js'
import { syntaxFor } from '../sql-text/syntax.js'

/** Comments of every dialect, since models write them all. */
const anyDialect = {
  ...syntaxFor('ansi'),
  lineComments: ['--', '#'] as const,
  // MySQL executes a comment that begins with an exclamation mark.
  executedComments: true,
}

/**
 * Returns the words of an SQL text that consists of comments only; undefined if it contains more, or no
 * words.
 */
export function commentOnlyText(sql: string): string | undefined {
  const comments: string[] = []
  for (const { kind, start, end } of scan(sql, anyDialect)) {
    const text = sql.slice(start, end)
    if (kind === 'comment' && !/^\/\*M?!/.test(text)) comments.push(text)
    else if (kind !== 'code' || /[^\s;]/.test(text)) return undefined
  }
  const words = comments
    .map((text) => text.replaceAll(/^(?:--+|#+|\/\*)|\*\/$/g, '').trim())
    .filter((each) => /[\p{L}\p{N}]/u.test(each))
    .join(' ')
  return words === '' ? undefined : words
}
