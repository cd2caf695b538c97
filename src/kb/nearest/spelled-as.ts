/**
 * Returns the value that a question's words stand for, spelled as another value of the same column is: in its letter case, and
 * without the plural in which its own phrase has that one.
 *
 * @param value as the query has it
 * @param written as its phrase has it
 */
export function spelledAs(value: string, written: string, words: string): string {
  const isPlural = written.length === value.length + 1 && /s$/i.test(written) && /[^s]s$/i.test(words)
  const single = isPlural ? words.slice(0, -1) : words
  if (value === written.slice(0, value.length)) {
    if (!/\p{Lu}/u.test(value) && /\p{Ll}/u.test(value)) return single.toLowerCase()
    return single
  }
  if (value === value.toUpperCase()) return single.toUpperCase()
  return value === value.toLowerCase() ? single.toLowerCase() : single
}
