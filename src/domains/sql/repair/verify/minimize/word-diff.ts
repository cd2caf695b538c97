import { diffHunks, type Hunk } from '../../../../../edit/line-edits.js'

/** A token, and the white space before it. */
export interface Word {
  readonly space: string
  readonly text: string
  readonly isComment: boolean
}

/** A change, and the changed clause that contains it, if that is modified and not only added or removed. */
export interface WordChange extends Hunk {
  readonly block: number | undefined
}

const sqlWordPattern =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\{\{[\s\S]*?\}\}|[\p{L}\p{N}_.]+|[<>=!|]+|\S/gu
const sentencePattern = /[^\s.!?][^\n.!?]*[.!?]*|\S/gu
/** Where a sentence turns to another subject: a semicolon, a conjunction or a comma before several words. */
const clauseBoundary =
  /(?=;\s)|(?<!,)(?=,?\s+(?:and|but|while|whereas|which|or)(?:[ \t]+[^\s,;]+){3})|(?=,(?:[ \t]+[^\s,;]+){5})/iu
/** Words that begin a clause, whatever the layout. */
const clauseStart =
  /^(?:,|and|or|when|else|select|from|where|group|having|order|limit|qualify|union|with|join|left|right|full|inner|cross)$/i

/** Returns where the additions of each change begin in the new text. */
export function insertionOffsets(changes: readonly WordChange[]): number[] {
  let shift = 0
  return changes.map(({ from, to, lines }) => {
    const start = from + shift
    shift += lines.length - (to - from)
    return start
  })
}

/**
 * Compares clause by clause and then, in a clause that differs, word by word: a word of a new clause must not
 * be matched with the same word of the next one.
 */
export function diffWords(from: readonly Word[], to: readonly Word[], isSql: boolean): WordChange[] {
  const [old, now] = [from, to].map((words) => clausesOf(words, isSql)) as [Clause[], Clause[]]
  let shift = 0
  return diffHunks(
    old.map(({ text }) => text),
    now.map(({ text }) => text),
  )
    .flatMap((hunk, block): WordChange[] => {
      const first = old[hunk.from]?.start ?? from.length
      const end = old[hunk.to]?.start ?? from.length
      const nowFirst = now[hunk.from + shift]?.start ?? to.length
      const nowEnd = now[hunk.from + shift + hunk.lines.length]?.start ?? to.length
      shift += hunk.lines.length - (hunk.to - hunk.from)
      const texts = (words: readonly Word[], start: number, stop: number): string[] =>
        words.slice(start, stop).map(({ text }) => text)
      const [gone, come] = [texts(from, first, end), texts(to, nowFirst, nowEnd)]
      if (gone.length === 0 || come.length === 0)
        return [{ from: first, to: end, lines: come, block: undefined }]
      return diffHunks(gone, come).map((inner) => ({
        from: inner.from + first,
        to: inner.to + first,
        lines: inner.lines,
        block,
      }))
    })
    .flatMap((change) => (isSql ? [change] : splitDeletions(change, from)))
    .flatMap((change) => splitCommentDeletions(change, from))
    .flatMap((change) => splitClauseDeletions(change, from))
}

interface Clause {
  readonly start: number
  readonly text: string
}

function clausesOf(words: readonly Word[], isSql: boolean): Clause[] {
  const starts = words.flatMap(({ text, isComment }, at) =>
    at === 0 || !isSql || isComment || words[at - 1]?.isComment === true || clauseStart.test(text)
      ? [at]
      : [],
  )
  return starts.map((start, at) => ({
    start,
    text: words
      .slice(start, starts[at + 1])
      .map(({ text }) => text)
      .join(' '),
  }))
}

export interface WordSequence {
  readonly words: readonly Word[]
  readonly rest: string
}

export function splitWords(text: string, isSql: boolean): WordSequence {
  let end = 0
  const words = partsIn(text, isSql).map(({ at, part }) => {
    const space = text.slice(end, at)
    end = at + part.length
    return { space, text: part, isComment: isSql && /^(?:--|\/\*)/.test(part) }
  })
  return { words, rest: text.slice(end) }
}

/** Returns the words of SQL; for notes, the clauses of each sentence, and its punctuation. */
function partsIn(text: string, isSql: boolean): { readonly at: number; readonly part: string }[] {
  const found = [...text.matchAll(isSql ? sqlWordPattern : sentencePattern)].map(
    ({ 0: part, index: at }) => ({
      at,
      part,
    }),
  )
  if (isSql) return found
  return found.flatMap(({ at, part: sentence }) => {
    const [said = '', end = ''] = /^(.*?)([.!?]*)$/su.exec(sentence)?.slice(1) ?? []
    const parts = said.split(clauseBoundary)
    if (parts.length === 1) return [{ at, part: sentence }]
    let next = at
    return [...parts, end]
      .filter((part) => part !== '')
      .map((part) => {
        const start = next + (part.length - part.trimStart().length)
        next += part.length
        return { at: start, part: part.trimStart() }
      })
  })
}

/** From this share of common words on, one sentence is treated as a rewrite of another. */
const minSentenceSimilarity = 0.25

/**
 * Separates deleted sentences that are beside a rewritten one and share nothing with it: each is a deletion
 * of its own.
 */
function splitDeletions(change: WordChange, words: readonly Word[]): WordChange[] {
  const { from, to, lines, block } = change
  const gone = words.slice(from, to)
  const isAkin = ({ text }: Word): boolean =>
    lines.some((line) => wordSimilarity(text, line) >= minSentenceSimilarity)
  const [first, last] = [gone.findIndex(isAkin), gone.findLastIndex(isAkin)]
  if (lines.length === 0 || first < 0) return [change]
  const [start, end] = [from + first, from + last + 1]
  return [
    ...(from < start ? [{ from, to: start, lines: [], block: undefined }] : []),
    { from: start, to: end, lines, block },
    ...(end < to ? [{ from: end, to, lines: [], block: undefined }] : []),
  ]
}

function wordSimilarity(one: string, other: string): number {
  const [some, others] = [one, other].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu)))
  const common = [...(some ?? [])].filter((word) => others?.has(word)).length
  return common / Math.max(1, (some?.size ?? 0) + (others?.size ?? 0) - common)
}

/**
 * Separates the deletion of a comment from an addition at the same place: nothing shows that it was
 * necessary.
 */
function splitCommentDeletions({ from, to, lines, block }: WordChange, words: readonly Word[]): WordChange[] {
  let first = from
  while (first < to && words[first]?.isComment === true) first++
  const comments = first === from ? [] : [{ from, to: first, lines: [], block: undefined }]
  return first === to && lines.length === 0 ? comments : [...comments, { from: first, to, lines, block }]
}

/** Splits a deletion into its lines and conditions: one of them may be necessary, and the next one not. */
function splitClauseDeletions(change: WordChange, words: readonly Word[]): WordChange[] {
  const { from, to, lines, block } = change
  if (lines.length > 0 || block !== undefined) return [change]
  const starts = words
    .slice(from, to)
    .flatMap((word, at) => (at === 0 || beginsPart(word) ? [from + at] : []))
  return starts.map((start, at) => ({ from: start, to: starts[at + 1] ?? to, lines: [], block }))
}

function beginsPart({ space, text }: Word): boolean {
  return space.includes('\n') || /^and$/i.test(text)
}
