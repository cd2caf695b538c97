import type { KnowledgeEntry } from '../entries/entry-format.js'

/** A case, as far as it says which entries are its own. */
export interface AskedCase {
  readonly question: string
  readonly expectedSql: string
}

/**
 * Returns the entries that would give the answer to a case away: those with its question, and those with another question whose query
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
  const tables = tablesIn(expectedSql)
  let expected: { readonly form: string | undefined } | undefined
  const isExpected = (sql: string): boolean => {
    // Equal queries read the same tables: most entries need not be parsed.
    const others = tablesIn(sql)
    if (tables !== undefined && others !== undefined && tables !== others) return false
    expected ??= { form: formOf(expectedSql) }
    return expected.form !== undefined && formOf(sql) === expected.form
  }
  return entries.filter((entry) => {
    if (entry.kind !== 'query') return false
    if (words !== '' && phrasesOf(entry).includes(words)) return true
    return entry.question !== undefined && isExpected(entry.text)
  })
}

const known = new WeakMap<KnowledgeEntry, readonly string[]>()

function phrasesOf(entry: KnowledgeEntry): readonly string[] {
  const found = known.get(entry)
  if (found !== undefined) return found
  const phrases = [entry.question, ...(entry.titles ?? [])].flatMap((each) => each ?? []).map(wordsOf)
  known.set(entry, phrases)
  return phrases
}

/** Ignores letter case, white space and punctuation. */
function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}

/** A query with parts of its own, quoted names, or a list of tables after FROM: which tables it reads takes a parser. */
const needsParser = /\bwith\b|["`[]|\bfrom\s*\(|\bfrom\s+[\w.]+(?:\s+(?:as\s+)?\w+)?\s*,/i

/** Returns the names after FROM and JOIN, without schemas, in one text; undefined where that does not say what is read. */
function tablesIn(sql: string): string | undefined {
  const plain = sql.replaceAll(/'[^']*'/g, '')
  if (needsParser.test(plain)) return undefined
  const names = [...plain.matchAll(/\b(?:from|join)\s+(?:\w+\.)*(\w+)/gi)].map(([, name = '']) =>
    name.toLowerCase(),
  )
  return [...new Set(names)].sort().join(' ')
}
