import type { Position } from './file-problem.js'

/**
 * Returns the text of a file, or why it cannot be read as YAML at all. A UTF-8 byte order mark is dropped.
 */
export function decodeYaml(
  input: string | Uint8Array,
  maxBytes: number,
): { readonly text: string } | { readonly problem: string; readonly hint: string } {
  const size = typeof input === 'string' ? Buffer.byteLength(input) : input.byteLength
  if (size > maxBytes) {
    return {
      problem: `file is larger than ${maxBytes / 1e6} MB (${Math.ceil(size / 1e6)} MB)`,
      hint: 'Split the file.',
    }
  }
  let text: string
  try {
    text =
      typeof input === 'string'
        ? input
        : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input)
  } catch {
    return { problem: 'file is not UTF-8', hint: 'Save it as UTF-8.' }
  }
  if (text.includes('\0')) return { problem: 'file contains NUL characters', hint: 'Save it as UTF-8.' }
  return { text: text.startsWith('\uFEFF') ? text.slice(1) : text }
}

/** Returns the offsets at which lines start, the first being 0. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Returns line and column of an offset, by binary search. */
export function positionAt(starts: readonly number[], offset: number): Position {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
}
