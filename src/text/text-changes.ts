/** A replacement of a part of a text: an insertion if `start` is `end`. */
export interface TextChange {
  /** UTF-16 offsets, end exclusive. */
  readonly start: number
  readonly end: number
  readonly text: string
}

export function inserted(at: number, text: string): TextChange {
  return { start: at, end: at, text }
}

/**
 * Returns the text with changes that do not overlap; of those at the same offset, the first in the list comes
 * last in the text.
 */
export function changedText(text: string, changes: readonly TextChange[]): string {
  return changes
    .toSorted((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: by }) => result.slice(0, start) + by + result.slice(end), text)
}
