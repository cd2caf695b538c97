import type { Edit } from '../../../../../edit/edit-types.js'
import { findHoists, findRemovableOperands } from './operand-hoisting.js'
import type { PieceGroup, PlanPart } from './plan-part.js'
import { type RemovableUnit, removableUnits } from './removable-units.js'
import {
  diffWords,
  insertionOffsets,
  splitWords,
  type Word,
  type WordChange,
  type WordSequence,
} from './word-diff.js'

/**
 * Further groups are not tried: each may cost an answer of the agent for each case, or a query of the engine.
 */
const [maxGroups, maxSqlGroups] = [16, 60]

/**
 * What can be made or left out separately: a removal by the change, an added word, a word that was there
 * already.
 */
type Piece =
  | { readonly kind: 'gone'; readonly change: number }
  | { readonly kind: 'word'; readonly change: number | undefined; readonly at: number }

/**
 * Splits an edited text into what can be removed of it: in SQL conditions, clauses and surrounding words, in
 * notes sentences.
 *
 * @param editsTo returns the edits that turn the old text into another one
 */
export function splitTextEdit(
  old: string,
  now: string,
  isSql: boolean,
  editsTo: (text: string) => readonly Edit[],
): PlanPart[] {
  const [from, to] = [old, now].map((text) => splitWords(text, isSql)) as [WordSequence, WordSequence]
  const changes = diffWords(from.words, to.words, isSql)
  if (changes.length === 0) return []
  const pieces = piecesOf(to.words.length, changes)
  const planLoses = removedWordCounts(from.words, to.words)
  const edits = (kept: ReadonlySet<number>): readonly Edit[] | undefined => {
    const made = appliedPieces(pieces, kept)
    if (!isSql && changes.some((change, at) => leavesSentenceEmpty(change, at, changes, made)))
      return undefined
    const isMade = pieces.some(
      (piece, at) => kept.has(at) && (piece.kind === 'gone' || piece.change !== undefined),
    )
    const text = isMade ? renderText(from, to.words, changes, made) : old
    const { words } = splitWords(text, isSql)
    if (isSql && hasTrailingComma(words) && !hasTrailingComma(to.words)) return undefined
    // The author's words are not the plan's to leave out.
    const lost = removedWordCounts(from.words, words)
    if ([...lost].some(([word, count]) => count > (planLoses.get(word) ?? 0))) return undefined
    return editsTo(text)
  }
  const all = new Set(pieces.keys())
  const units = removableGroups(pieces, changes, to.words, isSql).filter(
    ({ together }) => edits(new Set([...all].filter((at) => !together.includes(at)))) !== undefined,
  )
  return [{ pieces: pieces.length, groups: units.slice(0, isSql ? maxSqlGroups : maxGroups), edits }]
}

function piecesOf(words: number, changes: readonly WordChange[]): Piece[] {
  const starts = insertionOffsets(changes)
  const changeAt = new Map(
    changes.flatMap(({ lines }, change) =>
      lines.map((_, at) => [(starts[change] ?? 0) + at, change] as const),
    ),
  )
  const gone = changes.flatMap(({ from, to }, change): Piece[] =>
    from < to ? [{ kind: 'gone', change }] : [],
  )
  return [
    ...gone,
    ...Array.from({ length: words }, (_, at): Piece => ({ kind: 'word', change: changeAt.get(at), at })),
  ]
}

/** The pieces of a plan that are made: the removals, and the words of the new text that are written. */
interface AppliedPieces {
  readonly gone: ReadonlySet<number>
  readonly words: ReadonlySet<number>
}

function appliedPieces(pieces: readonly Piece[], kept: ReadonlySet<number>): AppliedPieces {
  const left = pieces.filter((_, at) => kept.has(at))
  return {
    gone: new Set(left.flatMap((piece) => (piece.kind === 'gone' ? [piece.change] : []))),
    words: new Set(left.flatMap((piece) => (piece.kind === 'word' ? [piece.at] : []))),
  }
}

/** Reports whether nothing follows a comma: some databases accept that. */
function hasTrailingComma(words: readonly Word[]): boolean {
  return words.some(
    ({ text }, at) => text === ',' && /^(?:[)\]}]|from|where)?$/i.test(words[at + 1]?.text ?? ''),
  )
}

/** Reports whether a sentence's replacement is removed and the original does not come back. */
function leavesSentenceEmpty(
  { from, to, lines }: WordChange,
  change: number,
  changes: readonly WordChange[],
  { gone, words }: AppliedPieces,
): boolean {
  const start = insertionOffsets(changes)[change] ?? 0
  return from < to && lines.length > 0 && gone.has(change) && !lines.some((_, at) => words.has(start + at))
}

/** Returns how many of each word the new text no longer has, ignoring letter case. */
function removedWordCounts(before: readonly Word[], after: readonly Word[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { text } of before) counts.set(text.toLowerCase(), (counts.get(text.toLowerCase()) ?? 0) + 1)
  for (const { text } of after) counts.set(text.toLowerCase(), (counts.get(text.toLowerCase()) ?? 0) - 1)
  return new Map([...counts].filter(([, count]) => count > 0))
}

/**
 * Returns pieces that can be removed together, the largest units first; a change within a clause is removed
 * with all that is new in it.
 */
function removableGroups(
  pieces: readonly Piece[],
  changes: readonly WordChange[],
  after: readonly Word[],
  isSql: boolean,
): PieceGroup[] {
  const wordPieces = new Map(
    pieces.flatMap((piece, at) => (piece.kind === 'word' ? [[piece.at, at] as const] : [])),
  )
  const isNew = (at: number): boolean => {
    const piece = pieces[wordPieces.get(at) ?? -1]
    return piece?.kind === 'word' && piece.change !== undefined
  }
  const alone = (together: readonly number[]): PieceGroup => ({ together, after: [] })
  const piecesWhere = (test: (change: WordChange) => boolean): number[] =>
    pieces.flatMap(({ change: of }, at) => {
      const change = of === undefined ? undefined : changes[of]
      return change !== undefined && test(change) ? [at] : []
    })
  const whole = changes.map((change) => alone(piecesWhere((each) => each === change)))
  if (!isSql)
    return [
      ...whole,
      ...pieces.flatMap((piece, at) =>
        piece.kind === 'word' && isNew(piece.at) && !closingPattern.test(after[piece.at]?.text ?? '')
          ? [alone([at])]
          : [],
      ),
    ]
  const isBalanced = ({ together }: PieceGroup): boolean => {
    const words = together.map((at) => {
      const piece = pieces[at]
      return piece?.kind === 'word' ? (after[piece.at]?.text ?? '').toUpperCase() : ''
    })
    const count = (text: string): number => words.filter((each) => each === text).length
    return count('(') === count(')') && count('[') === count(']') && count('CASE') === count('END')
  }
  const texts = after.map(({ text, isComment }) => (isComment ? '' : text))
  const some = ({ words }: RemovableUnit): boolean => words.some(isNew)
  // A kept word may lie within a removed unit if the same word is new beside it: the text does not show which
  // is which.
  const found = [
    ...removableUnits(texts, isNew),
    ...removableUnits(texts, () => true).filter(some),
    ...[...findHoists(texts), ...findRemovableOperands(texts)]
      .map((words) => ({ words, after: [] }))
      .filter(some),
  ]
  const clauses = found.map(({ words, after: before }): PieceGroup => {
    const [together, gone] = [words, before].map((each) => each.flatMap((at) => wordPieces.get(at) ?? []))
    return { together: together ?? [], after: gone ?? [] }
  })
  const blocks = changes.flatMap((change): PieceGroup[] => {
    if (change.block === undefined || change.from === change.to) return []
    // The removed text comes back in place of what is new in its clause: all of it, or one condition.
    const inBlock = piecesWhere(({ block }) => block === change.block)
    const changed = inBlock.filter((at) => pieces[at]?.kind === 'gone')
    const replaced = piecesWhere((each) => each.block === change.block && each.from < each.to)
    const come = clauses.filter(({ together }) => together.every((at) => inBlock.includes(at)))
    return [
      alone(inBlock),
      ...come.map(({ together }) => alone([...new Set([...changed, ...replaced, ...together])])),
    ]
  })
  const all = [...whole, ...blocks, ...clauses].filter((unit) => unit.together.length > 0 && isBalanced(unit))
  const keyOf = ({ together }: PieceGroup): string => [...together].sort((a, b) => a - b).join()
  return [...new Map(all.map((unit) => [keyOf(unit), unit])).values()].sort(
    (a, b) => b.together.length - a.together.length,
  )
}

/** A bracket, or the end of a sentence: directly follows whatever remains. */
const closingPattern = /^(?:\)|[.!?]+)$/

/** Returns the old text with some of the pieces made; kept words keep the white space before them. */
function renderText(
  { words, rest }: WordSequence,
  after: readonly Word[],
  changes: readonly WordChange[],
  made: AppliedPieces,
): string {
  const starts = insertionOffsets(changes)
  let text = ''
  let at = 0
  let shift = 0
  let endsLine = false
  const add = (word: Word, space = word.space): void => {
    const joins = space === '' && /[\p{L}\p{N}_}'"]$/u.test(text) && /^[\p{L}\p{N}_{'"]/u.test(word.text)
    text += (endsLine && !space.includes('\n') ? '\n' : joins ? ' ' : space) + word.text
    endsLine = word.isComment && word.text.startsWith('--')
  }
  const addStaying = (end: number): void => {
    for (; at < end; at++) {
      const word = words[at]
      if (word !== undefined && made.words.has(at + shift)) add(word)
    }
  }
  for (const [index, change] of changes.entries()) {
    addStaying(change.from)
    at = change.to
    const start = starts[index] ?? 0
    const end = start + change.lines.length
    shift = end - change.to
    const come = after.slice(start, end)
    const isMade =
      change.from < change.to ? made.gone.has(index) : come.some((_, place) => made.words.has(start + place))
    if (!isMade) {
      for (const word of words.slice(change.from, change.to)) add(word)
      continue
    }
    let dropped = ''
    for (const [place, word] of come.entries()) {
      if (!made.words.has(start + place)) {
        dropped ||= word.space
        continue
      }
      const isInside = dropped !== '' && text.endsWith('(') && !word.space.includes('\n')
      add(word, isInside ? '' : word.space === '' && !closingPattern.test(word.text) ? dropped : word.space)
      dropped = ''
    }
    const next = words[change.to]
    if (next === undefined || changes[index + 1]?.from === change.to || !made.words.has(end)) continue
    // What follows the change keeps its distance, or, if it touches the preceding word, gets that of the
    // plan.
    const planned = after[end]?.space ?? ''
    const touches = next.space === '' || (planned === '' && !next.space.includes('\n'))
    add(next, touches && dropped === '' ? planned : next.space)
    at++
  }
  addStaying(words.length)
  return text + rest
}
