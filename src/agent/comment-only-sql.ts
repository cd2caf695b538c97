/**
 * Matches the parts of a SQL text without a statement. MySQL executes a comment that begins with an
 * exclamation mark.
 */
const idle = /\s+|;|(?:--+|#+)([^\n]*)|\/\*(?!!)([\s\S]*?)(?:\*\/|$)/y

/**
 * Returns the words of an SQL text that consists of comments only; undefined if it contains more, or no
 * words.
 */
export function commentOnlyText(sql: string): string | undefined {
  const said: string[] = []
  let end = 0
  while (end < sql.length) {
    idle.lastIndex = end
    const found = idle.exec(sql)
    if (found === null) return undefined
    said.push((found[1] ?? found[2] ?? '').trim())
    end = idle.lastIndex
  }
  const words = said.filter((each) => /[\p{L}\p{N}]/u.test(each)).join(' ')
  return words === '' ? undefined : words
}
