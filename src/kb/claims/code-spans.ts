export interface CodeSpan {
  readonly code: string
  readonly offset: number
}

/** Text between single backticks: what a note quotes from the SQL. */
export function codeSpans(text: string): CodeSpan[] {
  return [...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map((match) => ({
    code: (match[1] ?? '').trim(),
    offset: match.index + 1,
  }))
}
