import type { Span } from '../question-interpretation.js'
import { overlaps, spanOf, type Token, tokenize } from './tokens.js'

/** Words with a meaning. */
export interface Phrase<T> {
  readonly tokens: readonly Token[]
  readonly meaning: T
  /** Whether letter case must match. */
  readonly exact: boolean
}

/** Phrases by their first token, in lower case. */
export type PhraseIndex<T> = ReadonlyMap<string, readonly Phrase<T>[]>

/** An occurrence of a phrase in a question. */
export interface Mention<T> {
  readonly meaning: T
  readonly span: Span
  /** Mentions are compared by length in words, then in characters. */
  readonly words: number
  readonly characters: number
}

/** Creates a phrase of whole words, whose case counts only with `exact`; undefined for blank text. */
export function phraseOf<T>(text: string, meaning: T, exact = false): Phrase<T> | undefined {
  const tokens = tokenize(text)
  return tokens.length === 0 ? undefined : { tokens, meaning, exact }
}

export function indexPhrases<T>(phrases: Iterable<Phrase<T> | undefined>): PhraseIndex<T> {
  const index = new Map<string, Phrase<T>[]>()
  for (const phrase of phrases) {
    const first = phrase?.tokens[0]
    if (phrase === undefined || first === undefined) continue
    const list = index.get(first.folded)
    if (list === undefined) index.set(first.folded, [phrase])
    else list.push(phrase)
  }
  return index
}

/** Returns all mentions outside the consumed spans, including overlapping ones. */
export function findMentions<T>(
  question: string,
  tokens: readonly Token[],
  index: PhraseIndex<T>,
  consumed: readonly Span[],
): Mention<T>[] {
  return tokens.flatMap((token, at) => {
    const candidates = index.get(token.folded) ?? []
    return candidates.flatMap((phrase): Mention<T>[] => {
      const last = tokens[at + phrase.tokens.length - 1]
      if (last === undefined || !matchesAt(tokens, at, phrase)) return []
      const span = spanOf(question, token.start, last.end)
      if (consumed.some((other) => overlaps(other, span))) return []
      const words = phrase.tokens.filter(({ isWord }) => isWord).length
      const characters = phrase.tokens.reduce((sum, { text }) => sum + text.length, 0)
      return [{ meaning: phrase.meaning, span, words, characters }]
    })
  })
}

/**
 * Returns mentions, longest first; one that overlaps a longer one is dropped, one of the same words is kept
 * beside it.
 */
export function longestMentions<T>(mentions: readonly Mention<T>[]): Mention<T>[] {
  const kept: Mention<T>[] = []
  const byLength = [...mentions].sort(
    (a, b) => b.words - a.words || b.characters - a.characters || a.span.start - b.span.start,
  )
  for (const mention of byLength) {
    const rivals = kept.filter(({ span }) => overlaps(span, mention.span))
    if (rivals.every(({ span }) => span.start === mention.span.start && span.end === mention.span.end))
      kept.push(mention)
  }
  return kept
}

function matchesAt<T>(tokens: readonly Token[], at: number, { tokens: wanted, exact }: Phrase<T>): boolean {
  return wanted.every((token, offset) => {
    const said = tokens[at + offset]
    return said !== undefined && (exact ? said.text === token.text : said.folded === token.folded)
  })
}
