import { diffArrays } from 'diff'

/** A word of a query that people may name when they write about it. */
export interface SqlTerm {
  readonly kind: 'literal' | 'name' | 'number' | 'keyword'
  /** A literal without its quotes; names and keywords in lower case. */
  readonly text: string
  /** A name as it is spelled, where that tells its words apart: `isOverbooked`. */
  readonly spelling?: string
}

/** The terms that differ between two texts of a query. */
export interface TermDifference {
  readonly added: readonly SqlTerm[]
  readonly removed: readonly SqlTerm[]
  /** Columns and values of the conditions that changed, also those that did not change themselves. */
  readonly conditions: readonly SqlTerm[]
}

interface Token {
  readonly text: string
  readonly term: SqlTerm | undefined
}

/** Keywords that change what is counted; the others only hold a query together. */
const meaningfulKeywords = new Set(['distinct', 'null', 'exists', 'union', 'intersect', 'except', 'having'])

const plainKeywords = new Set(
  (
    'select from where and or not in is as on using join left right inner outer full cross group by order limit ' +
    'offset case when then else end between like ilike asc desc with over partition rows range values true false ' +
    'date timestamp interval cast extract filter within all any some unbounded preceding following current row'
  ).split(' '),
)

const pattern =
  /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|[\p{L}_][\p{L}\p{N}_]*|\d+(?:\.\d+)?|\{\{.*?\}\}|<=|>=|<>|!=|\S/gu

/** @param sql a query without comments */
export function tokenizeSql(sql: string): Token[] {
  return [...sql.matchAll(pattern)].map(([text]) => ({ text, term: termOf(text) }))
}

function termOf(text: string): SqlTerm | undefined {
  if (text.startsWith("'")) return { kind: 'literal', text: text.slice(1, -1).replaceAll("''", "'") }
  if (/^["`]/u.test(text)) return nameTerm(text.slice(1, -1))
  if (/^\d/u.test(text)) return { kind: 'number', text }
  if (!/^[\p{L}_]/u.test(text)) return undefined
  const word = text.toLowerCase()
  if (meaningfulKeywords.has(word)) return { kind: 'keyword', text: word }
  return plainKeywords.has(word) ? undefined : nameTerm(text)
}

function nameTerm(spelling: string): SqlTerm {
  const text = spelling.toLowerCase()
  return /\p{Ll}\p{Lu}/u.test(spelling) ? { kind: 'name', text, spelling } : { kind: 'name', text }
}

/**
 * Returns the terms that differ between two queries without comments. A term that only moved does not differ.
 */
export function diffTerms(before: string, after: string): TermDifference {
  const [had, has] = [tokenizeSql(before), tokenizeSql(after)]
  const [added, removed, conditions]: SqlTerm[][] = [[], [], []]
  let [atHad, atHas] = [0, 0]
  for (const part of diffArrays(
    had.map(({ text }) => text.toLowerCase()),
    has.map(({ text }) => text.toLowerCase()),
  )) {
    const { length } = part.value
    if (part.added) {
      added?.push(...termsIn(has, atHas, length))
      conditions?.push(...conditionTerms(has, atHas, length))
      atHas += length
    } else if (part.removed) {
      removed?.push(...termsIn(had, atHad, length))
      conditions?.push(...conditionTerms(had, atHad, length))
      atHad += length
    } else {
      atHad += length
      atHas += length
    }
  }
  return {
    added: distinctTerms(withoutTerms(added ?? [], removed ?? [])),
    removed: distinctTerms(withoutTerms(removed ?? [], added ?? [])),
    conditions: distinctTerms(conditions ?? []),
  }
}

function termsIn(tokens: readonly Token[], from: number, count: number): SqlTerm[] {
  return tokens.slice(from, from + count).flatMap(({ term }) => term ?? [])
}

/** Returns the columns and values in the conditions that a range of tokens belongs to. */
function conditionTerms(tokens: readonly Token[], from: number, count: number): SqlTerm[] {
  const isBoundary = ({ text }: Token): boolean =>
    /^(?:and|or|where|on|having|when|then|select|from|,|;)$/iu.test(text)
  let start = from
  while (start > 0 && !isBoundary(tokens[start - 1] as Token)) start--
  // Inside a list of values, the column is before the list.
  while (start > 0 && tokens[start - 1]?.text === ',' && /^['\d]/u.test(tokens[start - 2]?.text ?? '')) {
    start--
    while (start > 0 && !isBoundary(tokens[start - 1] as Token)) start--
  }
  let end = from + count
  while (end < tokens.length && !isBoundary(tokens[end] as Token)) end++
  return tokens
    .slice(start, end)
    .flatMap(({ term }) => (term?.kind === 'name' || term?.kind === 'literal' ? [term] : []))
}

function isSameTerm(one: SqlTerm, other: SqlTerm): boolean {
  return one.kind === other.kind && one.text === other.text
}

export function includesTerm(terms: readonly SqlTerm[], term: SqlTerm): boolean {
  return terms.some((each) => isSameTerm(each, term))
}

function withoutTerms(terms: readonly SqlTerm[], others: readonly SqlTerm[]): SqlTerm[] {
  return terms.filter((term) => !includesTerm(others, term))
}

function distinctTerms(terms: readonly SqlTerm[]): SqlTerm[] {
  return terms.filter((term, index) => terms.findIndex((each) => isSameTerm(each, term)) === index)
}
