import { isDeepStrictEqual } from 'node:util'
import { isCollection, parseDocument } from 'yaml'
import type { Edit, TextEdit, YamlEdit, YamlValue } from '../edit/edit.js'
import { readText, type Snapshot } from '../snapshot/snapshot.js'
import { type Hunk, hunksOf, textEdits, withHunks } from './propose/edits.js'

/** A part of a plan that can be made or left out by pieces: places of a text, items of a list, or an edit as a whole. */
export interface PlanPart {
  readonly pieces: number
  /** The edits that make these pieces, by index; none where none is left. */
  readonly edits: (kept: ReadonlySet<number>) => readonly Edit[]
  /** Pieces of a text of which one opens the brackets that the other closes: `CAST(` and `AS INTEGER)`. */
  readonly pairs?: readonly (readonly [number, number])[]
}

/** More places of one text are taken together, nearest first: each may cost an answer of the agent. */
const mostPlaces = 8

/**
 * What a plan consists of, as finely as it can be taken apart: texts by words and signs, notes by sentences, lists by items.
 * White space that differs alone is no piece: layout stays.
 */
export function partsOf(edits: readonly Edit[], before: Snapshot, after: Snapshot): PlanPart[] {
  const texts = new Map(edits.flatMap((edit) => ('search' in edit ? [[edit.path, edit.kind] as const] : [])))
  return [
    ...[...texts].flatMap(([path, kind]) => textPart(path, kind, before, after)),
    ...edits.flatMap((edit) =>
      'search' in edit ? [] : [listPart(edit) ?? itemPart(edit, before) ?? wholePart(edit)],
    ),
  ]
}

function wholePart(edit: Edit): PlanPart {
  return { pieces: 1, edits: (kept) => (kept.has(0) ? [edit] : []) }
}

/** A list that is set anew, by the items that come and go. */
function listPart(edit: Exclude<Edit, TextEdit>): PlanPart | undefined {
  if (edit.kind !== 'edit_metric' || !Array.isArray(edit.expected) || !Array.isArray(edit.value))
    return undefined
  const [before, after] = [edit.expected, edit.value].map((list: readonly YamlValue[]) =>
    list.map((item) => JSON.stringify(item)),
  ) as [string[], string[]]
  const single = hunksOf(before, after).flatMap(byItem)
  return {
    pieces: single.length,
    edits(kept) {
      const items = withHunks(
        before,
        single.filter((_, at) => kept.has(at)),
      )
      const changed: YamlEdit = { ...edit, value: items.map((item): YamlValue => JSON.parse(item)) }
      return isDeepStrictEqual(changed.value, edit.expected) ? [] : [changed]
    },
  }
}

/** A word of a list in place of another one: it may come without that one going. */
function itemPart(edit: Exclude<Edit, TextEdit>, before: Snapshot): PlanPart | undefined {
  if (edit.kind !== 'edit_metric' || edit.action !== 'set' || typeof edit.at.at(-1) !== 'number')
    return undefined
  if (typeof edit.expected !== 'string' || typeof edit.value !== 'string') return undefined
  const at = edit.at.slice(0, -1)
  const list: unknown = parseDocument(readText(before, edit.path) ?? '').getIn(at)
  const words: unknown = isCollection(list) ? list.toJSON() : undefined
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined
  const added: YamlEdit = { ...edit, at, action: 'append', expected: words }
  const removed: YamlEdit = { ...edit, action: 'remove', value: undefined }
  const edits = [[], [added], [removed], [edit]]
  return {
    pieces: 2,
    edits: (kept) => edits[(kept.has(0) ? 1 : 0) + (kept.has(1) ? 2 : 0)] ?? [],
  }
}

/** An item that takes another's place is one that goes and one that comes. */
function byItem({ from, to, lines }: Hunk): Hunk[] {
  const gone = Array.from({ length: to - from }, (_, at) => ({
    from: from + at,
    to: from + at + 1,
    lines: [],
  }))
  return [...gone, ...lines.map((line) => ({ from: to, to, lines: [line] }))]
}

/** A token, and the white space before it. */
interface Word {
  readonly space: string
  readonly text: string
  readonly isComment: boolean
}

const sqlWords =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\{\{[\s\S]*?\}\}|[\p{L}\p{N}_.]+|[<>=!|]+|\S/gu
const sentences = /[^\s.!?][^\n.!?]*[.!?]*|\S/gu

function textPart(path: string, kind: TextEdit['kind'], before: Snapshot, after: Snapshot): PlanPart[] {
  const [old, now] = [readText(before, path) ?? '', readText(after, path) ?? '']
  const pattern = path.endsWith('.sql') ? sqlWords : sentences
  const [from, to] = [wordsOf(old, pattern), wordsOf(now, pattern)]
  const hunks = hunksOf(
    from.words.map(({ text }) => text),
    to.words.map(({ text }) => text),
  )
    .flatMap((hunk) => commentsApart(hunk, from.words))
    .reduce(byLine(from.words, to.words), [])
  if (hunks.length === 0) return []
  const places = joined(hunks, mostPlaces)
  return [
    {
      pieces: places.length,
      pairs: bracketPairs(places.map((place) => openedBy(place, from.words))),
      edits(kept) {
        const chosen = places.filter((_, at) => kept.has(at)).flat()
        const text = chosen.length === 0 ? old : rewritten(from, to.words, hunks, new Set(chosen))
        return textEdits(path, old, text).map((edit) => ('search' in edit ? { ...edit, kind } : edit))
      },
    },
  ]
}

/** How many more brackets the changes open than they close. */
function openedBy(place: readonly Hunk[], words: readonly Word[]): number {
  const opened = (texts: readonly string[]): number =>
    texts.filter((text) => text === '(').length - texts.filter((text) => text === ')').length
  return place.reduce(
    (sum, { from, to, lines }) => sum + opened(lines) - opened(words.slice(from, to).map(({ text }) => text)),
    0,
  )
}

function bracketPairs(opened: readonly number[]): [number, number][] {
  return opened.flatMap((count, first) =>
    opened.flatMap((other, second): [number, number][] =>
      count > 0 && second > first && other === -count ? [[first, second]] : [],
    ),
  )
}

function wordsOf(text: string, pattern: RegExp): { readonly words: readonly Word[]; readonly rest: string } {
  let end = 0
  const words = [...text.matchAll(pattern)].map((match) => {
    const space = text.slice(end, match.index)
    end = match.index + match[0].length
    return { space, text: match[0], isComment: pattern === sqlWords && /^(?:--|\/\*)/.test(match[0]) }
  })
  return { words, rest: text.slice(end) }
}

/** A comment that goes where something comes is a loss of its own: nothing says that it had to. */
function commentsApart({ from, to, lines }: Hunk, words: readonly Word[]): Hunk[] {
  let first = from
  while (first < to && words[first]?.isComment === true) first++
  const comments = first === from ? [] : [{ from, to: first, lines: [] }]
  return first === to && lines.length === 0 ? comments : [...comments, { from: first, to, lines }]
}

/** What only comes or only goes, by its lines and conditions: one of them may be needed, and the next one not. */
function byLine(words: readonly Word[], after: readonly Word[]) {
  let shift = 0
  return (apart: readonly Hunk[], hunk: Hunk): Hunk[] => {
    const before = shift
    shift += hunk.lines.length - (hunk.to - hunk.from)
    if (hunk.lines.length > 0 && hunk.to > hunk.from) return [...apart, hunk]
    const placeOf = ({ from, lines }: Hunk) => (lines.length > 0 ? after[from + before] : words[from])
    const { from, to, lines } = atLineStart(hunk, words, apart.at(-1)?.to ?? 0, placeOf)
    const [source, first] = lines.length > 0 ? [after, from + before] : [words, from]
    const changed = source.slice(first, first + lines.length + (to - from))
    const starts = changed.flatMap((word, at) => (at === 0 || beginsPart(word) ? [at] : []))
    const parts = starts.map((begin, at): Hunk => {
      const end = starts[at + 1] ?? changed.length
      return lines.length > 0
        ? { from, to, lines: lines.slice(begin, end) }
        : { from: from + begin, to: from + end, lines }
    })
    return [...apart, ...parts]
  }
}

/**
 * A difference may be told in several ways: `status = 1 AND` behind an AND, or `AND status = 1` before it. The one that
 * begins a line or a condition is what was written.
 */
function atLineStart(
  hunk: Hunk,
  words: readonly Word[],
  least: number,
  firstOf: (hunk: Hunk) => Word | undefined,
): Hunk {
  let { from, to, lines } = hunk
  for (;;) {
    const first = firstOf({ from, to, lines })
    if (first !== undefined && beginsPart(first)) return { from, to, lines }
    const previous = words[from - 1]?.text
    const last = lines.length > 0 ? lines.at(-1) : words[to - 1]?.text
    if (from - 1 < least || previous === undefined || previous !== last) return hunk
    if (lines.length > 0) lines = [previous, ...lines.slice(0, -1)]
    from--
    to--
  }
}

function beginsPart({ space, text }: Word): boolean {
  return space.includes('\n') || /^and$/i.test(text)
}

/** Hunks in groups, at most `most` of them: the ones with the least between them come together. */
function joined(hunks: readonly Hunk[], most: number): Hunk[][] {
  const groups = hunks.map((hunk) => [hunk])
  const gap = (at: number): number => (groups[at + 1]?.[0]?.from ?? 0) - (groups[at]?.at(-1)?.to ?? 0)
  while (groups.length > most) {
    const nearest = groups.slice(1).reduce((best, _, at) => (gap(at) < gap(best) ? at : best), 0)
    groups.splice(nearest, 2, [...(groups[nearest] ?? []), ...(groups[nearest + 1] ?? [])])
  }
  return groups
}

/** The old text with some of the hunks made; words that stay keep the white space before them. */
function rewritten(
  { words, rest }: ReturnType<typeof wordsOf>,
  after: readonly Word[],
  hunks: readonly Hunk[],
  chosen: ReadonlySet<Hunk>,
): string {
  let text = ''
  let at = 0
  let shift = 0
  let endsLine = false
  const add = (word: Word): void => {
    text += (endsLine && !word.space.includes('\n') ? '\n' : word.space) + word.text
    endsLine = word.isComment && word.text.startsWith('--')
  }
  for (const [index, hunk] of hunks.entries()) {
    for (const word of words.slice(at, hunk.from)) add(word)
    const place = hunk.from + shift
    shift += hunk.lines.length - (hunk.to - hunk.from)
    at = hunk.to
    if (!chosen.has(hunk)) {
      for (const word of words.slice(hunk.from, hunk.to)) add(word)
      continue
    }
    for (const word of after.slice(place, place + hunk.lines.length)) add(word)
    const next = words[hunk.to]
    if (next === undefined || hunks[index + 1]?.from === hunk.to) continue
    // What follows the change is set off from it as before, or, where it touches what stands there, as the plan has it.
    const planned = after[place + hunk.lines.length]?.space ?? ''
    const touches = next.space === '' || (planned === '' && !next.space.includes('\n'))
    add(touches ? { ...next, space: planned } : next)
    at++
  }
  for (const word of words.slice(at)) add(word)
  return text + rest
}
