/**
 * The division of a long file: its last top-level key, and the offset at which each item of its list starts.
 */
export interface ItemSplit {
  readonly key: string
  readonly starts: readonly number[]
}

const listKey = /^([A-Za-z_][\w-]*):[ \t]*(?:#.*)?\r?$/

/**
 * Splits a file that ends in a block list under a top-level key into the items of that list, by indentation
 * alone: inside an item every line is indented deeper than its dash. Undefined if a line breaks that form.
 * Text that only looks like the form (a quoted text over several lines, for example) does not parse piece by
 * piece, and is detected in that way.
 */
export function splitItems(text: string): ItemSplit | undefined {
  let key: string | undefined
  let indent: number | undefined
  let starts: number[] = []
  let at = 0
  while (at < text.length) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline + 1
    const column = indentOf(text, at, end)
    if (column !== undefined) {
      const dash = isDash(text, at + column)
      if (key !== undefined && dash && column === (indent ?? column)) {
        indent = column
        starts.push(at)
      } else if (column === 0) {
        // A list followed by another key is not the last one: start over.
        key = listKey.exec(text.slice(at, end).trimEnd())?.[1]
        indent = undefined
        starts = []
      } else if (indent === undefined ? key !== undefined : column <= indent) return undefined
    }
    at = end
  }
  return key === undefined || starts.length < 2 ? undefined : { key, starts }
}

/** Returns the column of the first significant character; undefined for a blank line or a comment line. */
function indentOf(text: string, from: number, end: number): number | undefined {
  let at = from
  while (at < end && text[at] === ' ') at++
  const first = text[at]
  return at >= end || first === '\n' || first === '\r' || first === '#' ? undefined : at - from
}

function isDash(text: string, at: number): boolean {
  const next = text[at + 1]
  return text[at] === '-' && (next === undefined || next === ' ' || next === '\n' || next === '\r')
}
