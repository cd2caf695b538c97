/** Replaces the characters `[start, end)` of an entry's text, in UTF-16 code units. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** How likely it is that an edit of its kind is what the author would do: the lower, the likelier. */
export type Evidence = 'expected' | 'operator' | 'schema'

/** One change of an entry's text. */
export interface TextEdit {
  readonly replacements: readonly Replacement[]
  /** What it does, in words: `adds the filter status = 'paid'`. */
  readonly words: string
  /** What was wrong, in words: `filter status = 'paid' was missing`. */
  readonly title: string
  readonly evidence: Evidence
  /** How many of the failing expected queries speak for it. */
  readonly support: number
  /** Whether it adds a condition beside another on the same columns. */
  readonly isBeside?: true | undefined
}

/** Returns the text with the changes of all edits; undefined where two of them change the same place. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string | undefined {
  const sorted = edits
    .flatMap(({ replacements }) => replacements)
    .sort((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let at = 0
  for (const [index, { start, end, text: by }] of sorted.entries()) {
    const previous = sorted[index - 1]
    const isSamePlace = previous !== undefined && previous.start === start && previous.end === end
    if (start < at || (isSamePlace && start === end && by === previous.text)) return undefined
    result += text.slice(at, start) + by
    at = end
  }
  return result + text.slice(at)
}
