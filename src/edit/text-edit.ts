import { distance } from 'fastest-levenshtein'
import { detectLineEnding } from '../snapshot/line-endings.js'
import { editConflict, quoted } from './edit-conflict.js'
import type { TextEdit } from './edit-types.js'

/**
 * Replaces the one occurrence of `edit.search` and keeps every other byte: byte order mark, line ends, a
 * missing final newline, bytes that are not UTF-8. Line ends in `search` match LF and CRLF, and CR in a file
 * that has no other; those in `replace` are written like those of the replaced text. Throws `edit_conflict`
 * if `search` does not occur or occurs more than once, or nothing would change.
 */
export function editText(bytes: Uint8Array, edit: TextEdit): Uint8Array {
  // One character per byte: UTF-8 never matches in the middle of a character, and invalid bytes are kept.
  const source = Buffer.from(bytes).toString('latin1')
  const search = normalizeLineEndings(byteString(edit, edit.search), source)
  if (search === '') throw editConflict(edit.path, 'the text to replace is empty')
  const matches = findMatches(source, search)
  const match = matches[0]
  if (match === undefined) throw editConflict(edit.path, notFound(bytes, edit.search))
  if (matches.length > 1) {
    const more = matches.length > maxMatches
    const lines = matches.slice(0, maxMatches).map(({ start }) => lineOf(source, start))
    throw editConflict(
      edit.path,
      `${quoted(edit.search)} was expected once but occurs ${more ? `more than ${maxMatches}` : matches.length} times (lines ${lines.join(', ')}${more ? ', …' : ''})`,
      'Include more of the text around it, so that it occurs once.',
    )
  }
  const replacement = normalizeLineEndings(byteString(edit, edit.replace), source).replaceAll(
    '\n',
    lineEndingLike(source, match),
  )
  const result = source.slice(0, match.start) + replacement + source.slice(match.end)
  if (result === source) throw editConflict(edit.path, 'the edit changes nothing')
  return Uint8Array.from(Buffer.from(result, 'latin1'))
}

/** Number of occurrences and lines listed in a message. */
const maxMatches = 5
/** A longer line is not compared for similarity. */
const maxComparedLength = 1000

interface Match {
  readonly start: number
  readonly end: number
}

/** Returns UTF-8 bytes as characters. */
function byteString(edit: TextEdit, text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw editConflict(edit.path, 'the edit contains half a surrogate pair')
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Returns the text with LF as its only line end, given the line ends of the file. */
function normalizeLineEndings(text: string, source: string): string {
  return text.replaceAll(detectLineEnding(source) === '\r' ? /\r\n|\r/g : /\r\n/g, '\n')
}

/**
 * Returns the matches, overlapping ones included: `aa` is ambiguous in `aaa`. The search stops at one more
 * than a message lists: a search and a file may be as long as a model makes them.
 */
function findMatches(source: string, search: string): Match[] {
  const plain = normalizeLineEndings(source, source)
  const matches: Match[] = []
  for (let at = plain.indexOf(search); at >= 0; at = plain.indexOf(search, at + 1)) {
    const start = offsetIn(source, plain, at)
    matches.push({ start, end: start + offsetIn(source.slice(start), search, search.length) })
    if (matches.length > maxMatches) break
  }
  return matches
}

/** Converts an offset in the text with LF as its only line end to an offset in the original text. */
function offsetIn(source: string, plain: string, at: number): number {
  let offset = 0
  let done = 0
  for (let newline = plain.indexOf('\n'); newline >= 0 && newline < at; newline = plain.indexOf('\n', done)) {
    offset += newline - done
    offset += source[offset] === '\r' && source[offset + 1] === '\n' ? 2 : 1
    done = newline + 1
  }
  return offset + at - done
}

function lineEndingLike(source: string, match: Match): string {
  const matched = source.slice(match.start, match.end)
  return detectLineEnding(matched.includes('\n') ? matched : source)
}

function lineOf(source: string, offset: number): number {
  return normalizeLineEndings(source.slice(0, offset), source).split('\n').length
}

function notFound(bytes: Uint8Array, search: string): string {
  const message = `${quoted(search)} was expected once but does not occur`
  const wanted = search
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim()
  if (wanted === undefined || wanted.length > maxComparedLength) return message
  const lines = new TextDecoder().decode(bytes).split('\n')
  let best: { readonly line: number; readonly text: string; readonly distance: number } | undefined
  for (const [index, line] of lines.entries()) {
    const text = line.trim()
    // Texts of such different lengths are not similar.
    if (text === '' || Math.abs(text.length - wanted.length) * 2 > wanted.length) continue
    const found = distance(wanted, text)
    if (best === undefined || found < best.distance) best = { line: index + 1, text, distance: found }
  }
  if (best === undefined || best.distance * 2 > wanted.length) return message
  return `${message}; nearest is line ${best.line}: ${quoted(best.text)}`
}
