/** A change of a text: lines from 0, both inclusive, and how many line breaks replace them. */
export interface LineChange {
  readonly start: number
  readonly end: number
  readonly addedLines: number
}

/** Returns where a line of a text is after a change; undefined where the change touches it. */
export function lineAfter(line: number, { start, end, addedLines }: LineChange): number | undefined {
  if (line < start) return line
  if (line <= end) return undefined
  return line + addedLines - (end - start)
}
