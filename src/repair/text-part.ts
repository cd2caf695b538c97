import type { Edit } from '../edit/edit.js'
import type { PieceUnit, PlanPart } from './plan-part.js'
import { type Hunk, hunksOf } from './propose/edits.js'
import { unitsOf } from './text-units.js'

/** More are not tried: each may cost an answer of the agent for each case. */
const mostUnits = 16

/** A token, and the white space before it. */
interface Word {
  readonly space: string
  readonly text: string
  readonly isComment: boolean
}

/** A change, and the changed clause that it is part of, where that is changed and not only new or gone. */
interface Change extends Hunk {
  readonly block: number | undefined
}

/** What can be made or left out on its own: a word that comes, or a change as a whole. */
interface Piece {
  readonly change: number
  /** Index among the words that come; undefined: all of it. */
  readonly word: number | undefined
}

const sqlWords =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\{\{[\s\S]*?\}\}|[\p{L}\p{N}_.]+|[<>=!|]+|\S/gu
const sentences = /[^\s.!?][^\n.!?]*[.!?]*|\S/gu
/** Words that begin a clause, whatever the layout. */
const clauseStart =
  /^(?:,|and|or|when|else|select|from|where|group|having|order|limit|qualify|union|with|join|left|right|full|inner|cross)$/i

/**
 * A text by what of it can go: of SQL conditions, clauses and what stands around something, of notes sentences.
 *
 * @param editsTo what makes another text of the old one
 */
export function textPart(
  old: string,
  now: string,
  isSql: boolean,
  editsTo: (text: string) => readonly Edit[],
): PlanPart[] {
  const [from, to] = [old, now].map((text) => wordsOf(text, isSql ? sqlWords : sentences)) as [Words, Words]
  const changes = changesBetween(from.words, to.words, isSql)
  if (changes.length === 0) return []
  const pieces = changes.flatMap(({ from: first, to: end, lines }, change): Piece[] =>
    first === end ? lines.map((_, word) => ({ change, word })) : [{ change, word: undefined }],
  )
  return [
    {
      pieces: pieces.length,
      units: unitsAmong(pieces, changes, to.words, isSql).slice(0, mostUnits),
      edits(kept) {
        const made = new Map<number, Set<number | undefined>>()
        for (const [at, { change, word }] of pieces.entries())
          if (kept.has(at)) made.set(change, (made.get(change) ?? new Set()).add(word))
        const text = made.size === 0 ? old : rewritten(from, to.words, changes, made)
        return editsTo(text)
      },
    },
  ]
}

/** Pieces that can go together, the largest units first; what changes within a clause goes with all that is new in it. */
function unitsAmong(
  pieces: readonly Piece[],
  changes: readonly Change[],
  after: readonly Word[],
  isSql: boolean,
): PieceUnit[] {
  const pieceAt = new Map<number, number>()
  const starts = startsOf(changes)
  for (const [at, { change, word }] of pieces.entries())
    if (word !== undefined) pieceAt.set((starts[change] ?? 0) + word, at)
  const alone = (together: readonly number[]): PieceUnit => ({ together, after: [] })
  if (!isSql) return pieces.map((_, at) => alone([at]))
  const isBalanced = ({ together }: PieceUnit): boolean => {
    const words = together.map((at) => {
      const { change = 0, word } = pieces[at] ?? {}
      return word === undefined ? '' : (changes[change]?.lines[word] ?? '').toUpperCase()
    })
    const count = (text: string): number => words.filter((each) => each === text).length
    return count('(') === count(')') && count('CASE') === count('END')
  }
  const piecesOf = (test: (change: Change) => boolean): number[] =>
    pieces.flatMap((piece, at) => {
      const change = changes[piece.change]
      return change !== undefined && test(change) ? [at] : []
    })
  const clauses = unitsOf(
    after.map(({ text, isComment }) => (isComment ? '' : text)),
    (at) => pieceAt.has(at),
  ).map(({ words, after: before }): PieceUnit => {
    const [together, gone] = [words, before].map((each) => each.flatMap((at) => pieceAt.get(at) ?? []))
    return { together: together ?? [], after: gone ?? [] }
  })
  const wholes = changes.flatMap((change): PieceUnit[] => {
    if (change.block === undefined) return [alone(piecesOf((each) => each === change))]
    if (change.from === change.to) return [alone(piecesOf((each) => each === change))]
    // What stood there comes back in the place of what is new in its clause: all of it, or a condition.
    const inBlock = piecesOf(({ block }) => block === change.block)
    const changed = inBlock.filter((at) => pieces[at]?.word === undefined)
    const come = clauses.filter(({ together }) => together.every((at) => inBlock.includes(at)))
    return [alone(inBlock), ...come.map(({ together }) => alone([...changed, ...together]))]
  })
  const all = [...wholes, ...clauses].filter((unit) => unit.together.length > 0 && isBalanced(unit))
  const keyOf = ({ together }: PieceUnit): string => [...together].sort((a, b) => a - b).join()
  return [...new Map(all.map((unit) => [keyOf(unit), unit])).values()].sort(
    (a, b) => b.together.length - a.together.length,
  )
}

/** Where what comes with each change begins in the new text. */
function startsOf(changes: readonly Change[]): number[] {
  let shift = 0
  return changes.map(({ from, to, lines }) => {
    const start = from + shift
    shift += lines.length - (to - from)
    return start
  })
}

/**
 * What differs, clause by clause and then, in a clause that differs, word by word: a word of a new clause must not be taken
 * for the same word of the next one.
 */
function changesBetween(from: readonly Word[], to: readonly Word[], isSql: boolean): Change[] {
  const [old, now] = [from, to].map((words) => clausesOf(words, isSql)) as [Clause[], Clause[]]
  let shift = 0
  return hunksOf(
    old.map(({ text }) => text),
    now.map(({ text }) => text),
  )
    .flatMap((hunk, block): Change[] => {
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
      return hunksOf(gone, come).map((inner) => ({
        from: inner.from + first,
        to: inner.to + first,
        lines: inner.lines,
        block,
      }))
    })
    .flatMap((change) => commentsApart(change, from))
    .flatMap((change) => clausesApart(change, from))
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

interface Words {
  readonly words: readonly Word[]
  readonly rest: string
}

function wordsOf(text: string, pattern: RegExp): Words {
  let end = 0
  const words = [...text.matchAll(pattern)].map((match) => {
    const space = text.slice(end, match.index)
    end = match.index + match[0].length
    return { space, text: match[0], isComment: pattern === sqlWords && /^(?:--|\/\*)/.test(match[0]) }
  })
  return { words, rest: text.slice(end) }
}

/** A comment that goes where something comes is a loss of its own: nothing says that it had to. */
function commentsApart({ from, to, lines, block }: Change, words: readonly Word[]): Change[] {
  let first = from
  while (first < to && words[first]?.isComment === true) first++
  const comments = first === from ? [] : [{ from, to: first, lines: [], block: undefined }]
  return first === to && lines.length === 0 ? comments : [...comments, { from: first, to, lines, block }]
}

/** What only goes, by its lines and conditions: one of them may have to, and the next one not. */
function clausesApart(change: Change, words: readonly Word[]): Change[] {
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

/** The old text with some of the pieces made; words that stay keep the white space before them. */
function rewritten(
  { words, rest }: Words,
  after: readonly Word[],
  changes: readonly Change[],
  made: ReadonlyMap<number, ReadonlySet<number | undefined>>,
): string {
  const starts = startsOf(changes)
  let text = ''
  let at = 0
  let endsLine = false
  const add = (word: Word, space = word.space): void => {
    const joins = space === '' && /[\p{L}\p{N}_}'"]$/u.test(text) && /^[\p{L}\p{N}_{'"]/u.test(word.text)
    text += (endsLine && !space.includes('\n') ? '\n' : joins ? ' ' : space) + word.text
    endsLine = word.isComment && word.text.startsWith('--')
  }
  for (const [index, change] of changes.entries()) {
    for (const word of words.slice(at, change.from)) add(word)
    at = change.to
    const kept = made.get(index)
    if (kept === undefined) {
      for (const word of words.slice(change.from, change.to)) add(word)
      continue
    }
    const start = starts[index] ?? 0
    const end = start + change.lines.length
    let dropped = ''
    for (const [place, word] of after.slice(start, end).entries()) {
      if (!kept.has(undefined) && !kept.has(place)) {
        dropped ||= word.space
        continue
      }
      add(word, word.space === '' && word.text !== ')' ? dropped : word.space)
      dropped = ''
    }
    const next = words[change.to]
    if (next === undefined || changes[index + 1]?.from === change.to) continue
    // What follows the change is set off from it as before, or, where it touches what stands there, as the plan has it.
    const planned = after[end]?.space ?? ''
    const touches = next.space === '' || (planned === '' && !next.space.includes('\n'))
    add(next, touches && dropped === '' ? planned : next.space)
    at++
  }
  for (const word of words.slice(at)) add(word)
  return text + rest
}
