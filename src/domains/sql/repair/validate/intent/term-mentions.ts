import type { SqlTerm } from './sql-terms.js'

/** Where a text mentions a term: offsets in UTF-16 code units. */
export interface Mention {
  readonly start: number
  readonly end: number
}

/** Parts of column names that carry no meaning of their own: `is_spam` is about spam. */
const affixes = new Set(
  (
    'is has was had flag at on date ts time id dt num no count cnt ind indicator yn dim fact amount ' +
    'cents eur usd gbp ms seconds minutes hours days pct percent'
  ).split(' '),
)

/** Words that are too general to name one column among others. */
const general = new Set(
  'status type name value amount date day time state code kind number total order data user key row table column'.split(
    ' ',
  ),
)

/** Words for functions and keywords of SQL. */
const functionWords: Readonly<Record<string, readonly string[]>> = {
  distinct: ['distinct', 'unique', 'deduplicated', 'duplicates'],
  avg: ['average', 'avg', 'mean'],
  sum: ['sum', 'total'],
  median: ['median'],
  max: ['maximum', 'max', 'latest', 'highest'],
  min: ['minimum', 'min', 'earliest', 'lowest'],
  coalesce: ['coalesce', 'null', 'missing'],
  null: ['null', 'missing', 'empty'],
  round: ['round', 'rounded'],
}

/**
 * Returns where a text mentions a term by its name or its words: `is_spam` by "spam", `deleted_at` by "deleted
 * accounts", `'past_due'` by "past due".
 *
 * @param synonyms further words for the term, such as those of an enum's value
 */
export function mentionsOf(term: SqlTerm, text: string, synonyms: readonly string[] = []): Mention[] {
  const words = wordsWithOffsets(text)
  return [...phrasesFor(term), ...synonyms].flatMap((phrase) => occurrences(phrase, words))
}

/** Returns the phrases by which people may refer to a term. */
function phrasesFor({ kind, text, spelling }: SqlTerm): string[] {
  if (kind === 'number') return text.length >= 2 ? [text] : []
  const known = functionWords[text]
  if (known !== undefined && kind !== 'literal') return [...known]
  if (kind === 'keyword') return []
  const parts = wordsOf(spelling ?? text)
  const core = parts.filter((part) => !affixes.has(part))
  const isTelling =
    core.length > 0 && core.length < parts.length && !(core.length === 1 && isGeneral(core[0]))
  const spelled = spelling === undefined ? [text] : [text, parts.join(' ')]
  return isTelling && kind === 'name' ? [...spelled, core.join(' ')] : spelled
}

function isGeneral(word: string | undefined): boolean {
  return word === undefined || word.length < 3 || general.has(word) || general.has(stem(word))
}

interface Word {
  readonly text: string
  readonly stem: string
  readonly start: number
  readonly end: number
}

function wordsWithOffsets(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}]+(?:\.\d+)?/gu)].map(({ 0: word, index }) => ({
    text: word,
    stem: stem(word.toLowerCase()),
    start: index,
    end: index + word.length,
  }))
}

function wordsOf(name: string): string[] {
  return (name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, ' ').match(/[\p{L}\p{N}]+(?:\.\d+)?/gu) ?? []).map(
    (word) => word.toLowerCase(),
  )
}

function occurrences(phrase: string, words: readonly Word[]): Mention[] {
  const wanted = wordsOf(phrase)
  const [first] = wanted
  if (first === undefined) return []
  // Codes such as `US` and `ID` are words of the language in lower case.
  const isCode = wanted.length === 1 && phrase.length <= 2
  return words.flatMap((word, at): Mention[] => {
    if (isCode) return word.text === phrase ? [word] : []
    const found = wanted.every((each, offset) => words[at + offset]?.stem === stem(each))
    const last = words[at + wanted.length - 1]
    return found && last !== undefined ? [{ start: word.start, end: last.end }] : []
  })
}

/** Reduces a word to a form that its plural and its tenses share. */
function stem(word: string): string {
  if (word.length < 4) return word
  return word
    .replace(/(?:ies|ied)$/u, 'y')
    .replace(/(?<=mi)ssions?$/u, 't')
    .replace(/(?<=(?:s|x|z|ch|sh))es$/u, '')
    .replace(/(?<![su])s$/u, '')
    .replace(/(?<=\w{3})(?:ed|ing|ation|ion|e)$/u, '')
    .replace(/([b-df-hj-np-tv-z])\1$/u, '$1')
}
