import type { KnowledgeEntry } from '../entries/entry-format.js'

/** A case, as far as it says which entries are its own. */
export interface AskedCase {
  readonly question: string
  readonly expectedSql: string
}

/**
 * Returns the entries that would give the answer to a case away: those with its question, and those beside a question whose query
 * is the expected one, values included. An entry with other values stays, and so does one without a question of its own: that is
 * the definition, and not an example.
 *
 * @param formOf returns a form of a query that is equal for queries that mean the same; undefined if it cannot be read
 */
export function ownEntriesOf(
  { question, expectedSql }: AskedCase,
  entries: readonly KnowledgeEntry[],
  formOf: (sql: string) => string | undefined,
): KnowledgeEntry[] {
  const words = wordsOf(question)
  const form = formOf(expectedSql)
  return entries.filter((entry) => {
    if (entry.kind !== 'query') return false
    const phrases = [entry.question, ...(entry.titles ?? [])].flatMap((each) => each ?? [])
    if (words !== '' && phrases.some((phrase) => wordsOf(phrase) === words)) return true
    return entry.question !== undefined && form !== undefined && formOf(entry.text) === form
  })
}

/** Ignores letter case, white space and punctuation. */
function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}
