import { styleText } from 'node:util'
import stringWidth from 'fast-string-width'
import { wrap as wrapWords } from '../../text/wrap-words.js'
import { oneLine } from '../format-text.js'
import { padEnd } from '../row-differences.js'

/** The output device: its width in terminal columns, and whether colour is used. */
export interface Screen {
  readonly width: number
  readonly color: boolean
}

export type SemanticStyle = 'good' | 'repaired' | 'bad' | 'detail' | 'heading'

const colors = { good: 'green', repaired: 'yellow', bad: 'red', detail: 'dim', heading: 'bold' } as const

export function paint(screen: Screen, meaning: SemanticStyle, text: string): string {
  return screen.color ? styleText(colors[meaning], text, { validateStream: false }) : text
}

/** Matches incomplete remains of a truncated surrogate pair, joined emoji or escape sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colours begin.
const danglingFragment = /(?:[\uD800-\uDBFF]|\u200D|\u001b(?:\[[0-9;]*)?)$/

/** Returns the text truncated with … if it is wider than `width`. */
export function truncateTo(text: string, width: number): string {
  const limit = Math.max(width, 1)
  // Further characters are not visible, and a megabyte takes a second to measure.
  const seen = text.slice(0, 4 * limit + 100)
  if (stringWidth(seen) <= limit) return seen
  let fits = 0
  for (let beyond = seen.length; beyond - fits > 1; ) {
    const middle = Math.floor((fits + beyond) / 2)
    if (stringWidth(seen.slice(0, middle)) < limit) fits = middle
    else beyond = middle
  }
  const kept = seen.slice(0, fits).replace(danglingFragment, '')
  return `${kept}…${kept.includes('\u001b') ? '\u001b[0m' : ''}`
}

/** Puts parts on as few lines as possible, each line indented. */
export function flowParts(
  parts: readonly string[],
  separator: string,
  screen: Screen,
  indent = '',
): string[] {
  const lines: string[] = []
  let line: string | undefined
  for (const part of parts) {
    const next: string = line === undefined ? indent + part : line + separator + part
    if (line !== undefined && stringWidth(next) > screen.width) {
      lines.push(line)
      line = truncateTo(indent + part, screen.width)
    } else line = truncateTo(next, screen.width)
  }
  return line === undefined ? lines : [...lines, line]
}

/** The share of the kept text that is its end. */
const endShare = 0.4

/** Returns a text without its middle if it is too wide: its beginning and its end are both informative. */
export function truncateMiddle(text: string, width: number): string {
  if (text.length <= 4 * width && stringWidth(text) <= width) return text
  const most = Math.floor(width * endShare)
  let end = text.slice(-most)
  while (stringWidth(end) > most) end = end.slice(1)
  const word = end.indexOf(' ')
  const kept = (word < 0 ? end : end.slice(word + 1)).replace(/^[\udc00-\udfff]/, '')
  return `${truncateTo(text, width - 1 - stringWidth(kept))} ${kept}`
}

/** The shortest text that a clause of a reason is cut to, in columns. */
const shortestClause = 32

/**
 * Returns a reason, clauses with `; ` between, on at most `limit` lines. Clauses are whole; where they do not all fit, those before the last are
 * counted instead. Only one that would take over half of the room loses its middle.
 */
export function wrapClauses(text: string, width: number, limit: number): string[] {
  const room = Math.max(width, 8) * limit
  const all = text
    .slice(0, 50 * room)
    .split('; ')
    .map((clause) => truncateMiddle(clause, Math.max(shortestClause, Math.floor(room / 2))))
  for (let kept = Math.min(all.length, room); kept > 0; kept--) {
    const left = all.length - kept
    const shown = left === 0 ? all : [...all.slice(0, kept - 1), `… ${left} more`, ...all.slice(-1)]
    const lines = wrap(shown.join('; '), width, limit)
    if (lines.at(-1)?.endsWith('…') !== true) return lines
  }
  return wrap(all[0] ?? '', width, limit)
}

/**
 * Returns a text broken at words into at most `limit` lines; omitted text is marked by …. A path or a command that is wider
 * than the screen stays whole, on a line of its own, so that it can be copied; what is longer than all lines is cut.
 */
export function wrap(text: string, width: number, limit: number): string[] {
  const room = Math.max(width, 8)
  const lines = wrapWords(text.slice(0, room * (limit + 1)), room).map((line) =>
    stringWidth(line) > room * limit ? truncateTo(line, room) : line,
  )
  if (lines.length <= limit && text.length <= room * (limit + 1)) return lines
  const last = lines[limit - 1] ?? ''
  return [...lines.slice(0, limit - 1), stringWidth(last) < room ? `${last}…` : truncateTo(`${last}…`, room)]
}

/** Width of a label; the longest is `knowledge used`. */
export const labelWidth = 16
const fieldLines = 4

/**
 * Returns a labelled text whose further lines are aligned with the first one:
 * `  structure   filter missing: …`.
 */
export function field(label: string, text: string, screen: Screen): string[] {
  return wrapClauses(oneLine(text), screen.width - 2 - labelWidth, fieldLines).map(
    (line, at) => `  ${paint(screen, 'detail', padEnd(at === 0 ? label : '', labelWidth))}${line}`,
  )
}

/** Returns a labelled command, which is never broken: where it does not fit, it has a line of its own. */
export function commandField(label: string, command: string, screen: Screen): string[] {
  const name = `  ${paint(screen, 'detail', padEnd(label, labelWidth))}`
  if (2 + labelWidth + stringWidth(command) <= screen.width) return [name + command]
  return [name.trimEnd(), `  ${command}`]
}

/** Returns `left` and, at the right edge if both fit, `right`; else `right` is left out. */
export function justify(left: string, right: string, width: number): string {
  const room = width - stringWidth(left) - stringWidth(right)
  return room >= 2 ? left + ' '.repeat(room) + right : left
}
