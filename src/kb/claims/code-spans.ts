export interface CodeSpan {
  readonly code: string
  readonly offset: number
}

/** Returns text between single backticks, in which a note quotes SQL. */
export function codeSpans(text: string): CodeSpan[] {
  return [...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map((match) => ({
    code: (match[1] ?? '').trim(),
    offset: match.index + 1,
  }))
}
