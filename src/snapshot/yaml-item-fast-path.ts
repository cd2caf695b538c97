import type { ItemOffsets } from './yaml-tree.js'

/** An item of a list that was read without a syntax tree: a map of texts and of lists of words. */
export interface PlainItem extends ItemOffsets {
  readonly data: Readonly<Record<string, unknown>>
}

const firstLine = /( *)- +/y
const entry = /([A-Za-z_]\w{0,99}): +([^\n]*)\n/y
/** Begins with a letter, so that it is neither a number nor a YAML indicator. */
const plain = /^\p{L}(?:[^:#]|:(?! |$)|(?<! )#)*$/u
const quoted = /^(?:"([^"\\]*)"|'([^']*)')$/
const plainWordList = /^\[ *[A-Za-z][\w-]*(?:, *[A-Za-z][\w-]*)* *\]$/
/** Words of the core schema that begin with a letter and are not strings. */
const reservedScalar = /^(?:null|Null|NULL|true|True|TRUE|false|False|FALSE)$/
/** Characters that need the full parser: line ends, invisible blanks, halves of surrogate pairs. */
const needsFullParser = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff]/

/**
 * Reads an item in the most common form: `- key: value`, where a value is on its line, or is a block of text
 * after `|`. This takes a tenth of the time that a syntax tree does. Undefined for anything else, which may
 * be YAML all the same: only unambiguous text is read here.
 *
 * @param item from the start of its dash's line to the start of the next item's
 */
export function readPlainItem(item: string): PlainItem | undefined {
  if (!item.endsWith('\n') || needsFullParser.test(item)) return undefined
  firstLine.lastIndex = 0
  const dash = firstLine.exec(item)
  if (dash === null) return undefined
  const column = dash[0].length
  const data: Record<string, unknown> = {}
  const keys: string[] = []
  const offsets: number[] = []
  let at = column
  while (at < item.length) {
    entry.lastIndex = at
    const [line, key, written] = entry.exec(item) ?? []
    if (line === undefined || key === undefined || written === undefined) return undefined
    if (reservedScalar.test(key) || key === '__proto__' || Object.hasOwn(data, key)) return undefined
    const next = at + line.length
    const shown = written.replace(/ +$/, '')
    const block = shown === '|' ? blockAt(item, next, column) : undefined
    const value = block?.text ?? valueIn(shown)
    if (value === undefined) return undefined
    data[key] = value
    keys.push(key)
    offsets.push(at)
    const following = entryAfter(item, block?.end ?? next, column)
    if (following === undefined) return undefined
    at = following
  }
  return { data, item: column, keys, offsets }
}

/** Reads a value that ends with its line. */
function valueIn(written: string): unknown {
  if (plainWordList.test(written)) {
    const list = written
      .slice(1, -1)
      .split(',')
      .map((word) => word.trim())
    return list.some((word) => reservedScalar.test(word)) ? undefined : list
  }
  const inQuotes = quoted.exec(written)
  if (inQuotes !== null) return inQuotes[1] ?? inQuotes[2]
  return plain.test(written) && !reservedScalar.test(written) ? written : undefined
}

/** Returns where the next key starts, after empty lines; undefined if another line comes first. */
function entryAfter(item: string, from: number, column: number): number | undefined {
  let at = from
  while (item[at] === '\n') at++
  if (at >= item.length) return at
  return indentAt(item, at) === column ? at + column : undefined
}

/**
 * Reads a block of text: all lines with at least the indentation of its first one, which is deeper than the
 * key.
 */
function blockAt(item: string, from: number, column: number): { text: string; end: number } | undefined {
  const indent = indentAt(item, from)
  if (indent <= column || item[from + indent] === '\n') return undefined
  const lines: string[] = []
  let at = from
  while (at < item.length) {
    const end = item.indexOf('\n', at)
    if (end > at) {
      const depth = indentAt(item, at)
      // White space alone may or may not be text.
      if (item[at + depth] === '\n') return undefined
      if (depth < indent) break
    }
    lines.push(item.slice(at + (end > at ? indent : 0), end))
    at = end + 1
  }
  return { text: `${lines.join('\n').replace(/\n+$/, '')}\n`, end: at }
}

function indentAt(item: string, from: number): number {
  let at = from
  while (item[at] === ' ') at++
  return at - from
}
