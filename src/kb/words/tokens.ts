import type { Span } from '../question-interpretation.js'

/** A run of letters, digits and underscores, or any other single character that is not white space. */
export interface Token {
  readonly text: string
  /** The text in lower case. */
  readonly folded: string
  readonly start: number
  readonly end: number
  readonly isWord: boolean
}

/** Returns the tokens of a text, with offsets in UTF-16 code units. */
export function tokenize(text: string): Token[] {
  return [...text.matchAll(/([\p{L}\p{M}\p{N}_]+)|[^\s\p{L}\p{M}\p{N}_]/gu)].map((match) => ({
    text: match[0],
    folded: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
    isWord: match[1] !== undefined,
  }))
}

export function spanOf(text: string, start: number, end: number): Span {
  return { start, end, text: text.slice(start, end) }
}

export function overlaps(a: { start: number; end: number }, b: { start: number; end: number }): boolean {
  return a.start < b.end && b.start < a.end
}
