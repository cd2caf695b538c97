import { diffArrays } from 'diff'
import { diffHunks } from '../../../../edit/line-edits.js'
import { detectLineEnding, splitLines } from '../../../../snapshot/line-endings.js'

/**
 * Returns today's text without the change from `before` to `after`, keeping later changes; undefined if the
 * change overlaps with later ones.
 */
export function revertChange(before: string, after: string, today: string): string | undefined {
  if (before.trim() === '' || after.trim() === '') return undefined
  const [had, has, now] = [before, after, today].map((text) => splitLines(withFinalNewline(text)))
  if (had === undefined || has === undefined || now === undefined) return undefined
  const places = mapLines(has, now)
  const gone = new Set<number>()
  const back = new Map<number, readonly string[]>()
  for (const { from, to, lines } of diffHunks(has, had)) {
    const taken = places.slice(from, to)
    const at = taken[0] ?? insertionLine(places, from, now.length)
    if (at === undefined || taken.includes(undefined)) return undefined
    for (const place of taken) if (place !== undefined) gone.add(place)
    back.set(at, [...(back.get(at) ?? []), ...lines])
  }
  const lines = [...now, ''].flatMap((line, index) => [
    ...(back.get(index) ?? []),
    ...(gone.has(index) ? [] : [line]),
  ])
  return matchFinalNewline(lines.join(''), today)
}

/** Maps each line of one text to its position in the other. */
function mapLines(lines: readonly string[], others: readonly string[]): (number | undefined)[] {
  const places: (number | undefined)[] = []
  let at = 0
  for (const { added, removed, value } of diffArrays([...lines], [...others]))
    for (const _ of value) {
      if (removed) places.push(undefined)
      else if (added) at++
      else places.push(at++)
    }
  return places
}

/**
 * Returns where lines belong that preceded line `index`: after the line above, or else before the line below.
 */
function insertionLine(
  places: readonly (number | undefined)[],
  index: number,
  end: number,
): number | undefined {
  const above = index === 0 ? -1 : places[index - 1]
  if (above !== undefined) return above + 1
  return index === places.length ? end : places[index]
}

/** Returns a former text with today's comment lines: they were written for its present readers. */
export function keepCurrentComments(text: string, today: string): string {
  const now = splitLines(withFinalNewline(today))
  const lines: string[] = []
  let at = 0
  for (const hunk of diffHunks(now, splitLines(withFinalNewline(text)))) {
    const comments = now.slice(hunk.from, hunk.to).filter(isComment)
    const former = comments.length === 0 ? hunk.lines : hunk.lines.filter((line) => !isComment(line))
    lines.push(...now.slice(at, hunk.from), ...comments, ...former)
    at = hunk.to
  }
  return matchFinalNewline([...lines, ...now.slice(at)].join(''), today)
}

function isComment(line: string): boolean {
  return /^\s*--/u.test(line)
}

/**
 * Converts line ends to those of today's file: git may store a text with other line ends than the working
 * tree.
 */
export function withLineEndsOf(text: string, today: string): string {
  // A text without line ends, such as an empty file, does not show which ones it uses.
  if (!/[\r\n]/u.test(today)) return text
  if (detectLineEnding(today) === '\r') return text.replaceAll(/\r?\n/gu, '\r')
  const carriage = today.match(/\r\n/gu)?.length ?? 0
  const all = today.match(/\n/gu)?.length ?? 0
  if (carriage === 0) return text.replaceAll('\r\n', '\n')
  return carriage === all ? text.replaceAll(/\r?\n/gu, '\r\n') : text
}

function withFinalNewline(text: string): string {
  return text === '' || endsLine(text) ? text : `${text}${detectLineEnding(text)}`
}

function matchFinalNewline(text: string, today: string): string {
  return today === '' || endsLine(today) ? text : text.replace(/(?:\r?\n|\r)$/u, '')
}

function endsLine(text: string): boolean {
  return /[\r\n]$/u.test(text)
}
