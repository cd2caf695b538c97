import type { SqlToken } from '../../sql/index.js'
import type { KnowledgeEntry } from '../entries/entry-format.js'
import { placeholdersIn } from '../entries/sql-parts.js'
import { contentWords } from '../words/content-words.js'
import { matchPhrase, type PhraseMatch, readQuestion } from './match-phrase.js'

/** What the entries of a knowledge base answer to a question. */
export type NearestAnswer =
  | { readonly kind: 'answer'; readonly sql: string; readonly entry: KnowledgeEntry }
  | { readonly kind: 'none'; readonly message: string; readonly nearest: KnowledgeEntry | undefined }

/** What is asked of the data: how a value is spelled in the column that a query compares a text with. */
export type SpellingOf = (sql: string, text: string, value: string) => Promise<string | 'absent' | undefined>

/**
 * Answers a question with the query of the entry that asks for the same, with the question's values; abstains, with the words
 * that no entry covers, rather than guess.
 *
 * @param tokensOf returns the tokens of a query; empty if it cannot be read
 * @param spellingOf absent: the words of the question are the values
 */
export async function answerFromEntries(
  question: string,
  entries: readonly KnowledgeEntry[],
  asOf: string,
  tokensOf: (sql: string) => readonly SqlToken[],
  spellingOf?: SpellingOf,
): Promise<NearestAnswer> {
  const asked = readQuestion(question, asOf)
  const found = entries.filter(isAnswering).flatMap((entry) =>
    phrasesOf(entry).map((phrase) => ({
      entry,
      match: matchPhrase(asked, { phrase, sql: entry.text, tokens: tokensOf(entry.text) }),
    })),
  )
  const open = found
    .flatMap(({ entry, match }) => (match.kind === 'answer' ? [{ entry, match }] : []))
    .sort((a, b) => rankOf(a.match) - rankOf(b.match))
  const answers: { readonly entry: KnowledgeEntry; readonly sql: string; readonly rank: number }[] = []
  let unknown: string | undefined
  for (const { entry, match } of open) {
    const rank = rankOf(match)
    if (answers[0] !== undefined && rank > answers[0].rank) break
    const texts = new Map(match.texts)
    for (const [text, value] of match.texts)
      texts.set(text, (await spellingOf?.(entry.text, text, value)) ?? value)
    const absent = [...match.texts].find(
      ([text, value]) => texts.get(text) === 'absent' && value !== 'absent',
    )
    if (absent === undefined) answers.push({ entry, sql: match.withTexts(texts), rank })
    else unknown ??= `no row has "${absent[1]}" where ${placeOf(entry)} has '${absent[0]}'`
  }
  const [best, ...others] = answers
  if (best !== undefined) {
    const rival = others.find(({ sql }) => plain(sql) !== plain(best.sql))
    if (rival === undefined) return { kind: 'answer', sql: best.sql, entry: best.entry }
    const message = `two entries answer it differently: ${placeOf(best.entry)} and ${placeOf(rival.entry)}`
    return { kind: 'none', message, nearest: best.entry }
  }
  if (unknown !== undefined) return { kind: 'none', message: unknown, nearest: open[0]?.entry }
  const [near] = found
    .flatMap(({ entry, match }) => (match.kind === 'uncovered' && match.shared > 0 ? [{ entry, match }] : []))
    .sort((a, b) => b.match.shared - a.match.shared || a.match.words.length - b.match.words.length)
  if (near === undefined)
    return {
      kind: 'none',
      message: `no entry is about: ${contentWords(question).join(', ')}`,
      nearest: undefined,
    }
  const message = `no entry covers: ${near.match.words.join(', ')}; the nearest is ${placeOf(near.entry)}`
  return { kind: 'none', message, nearest: near.entry }
}

/** Words that the question lacks weigh more than values that were exchanged. */
function rankOf({ missing, exchanged }: Extract<PhraseMatch, { readonly kind: 'answer' }>): number {
  return missing * 100 + exchanged
}

/** Reports whether an entry is a whole query without placeholders, which answers a question by itself. */
export function isAnswering(entry: KnowledgeEntry): boolean {
  const known = answering.get(entry)
  if (known !== undefined) return known
  const { kind, text, readOnly } = entry
  const isWhole = kind === 'query' && readOnly !== 'it is no query' && placeholdersIn(text).length === 0
  answering.set(entry, isWhole)
  return isWhole
}

const answering = new WeakMap<KnowledgeEntry, boolean>()

/** Returns the words that say what a query answers: its question, else what stands above it. */
function phrasesOf({ question, titles, name }: KnowledgeEntry): readonly string[] {
  if (question !== undefined) return [question]
  return [...(titles ?? []), ...(name === undefined ? [] : [name.replaceAll('_', ' ')])]
}

export function placeOf({ path, line }: KnowledgeEntry): string {
  return `${path}:${line}`
}

function plain(sql: string): string {
  return sql.trim().replace(/;$/, '').replaceAll(/\s+/g, ' ').toLowerCase()
}
