/** Where the line that holds `offset` begins. */
export function lineStartAt(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Where the line that holds `offset` ends, before its line end. */
export function lineBreakAt(text: string, offset: number): number {
  const found = text.indexOf('\n', offset)
  if (found === -1) return text.length
  return text[found - 1] === '\r' && found > offset ? found - 1 : found
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStartAt(text, offset)
}

/** Comments and blank lines right above the line that starts at `lineStart`, in order. */
export function commentsAbove(text: string, lineStart: number): string[] {
  const lines = text.slice(0, lineStart).split(/\r?\n/u).slice(0, -1)
  return lines.slice(lines.findLastIndex((line) => !isComment(line)) + 1)
}

/** Those right below the line that holds `offset`. */
export function commentsBelow(text: string, offset: number): string[] {
  const lines = text.slice(offset).split(/\r?\n/u).slice(1)
  const end = lines.findIndex((line) => !isComment(line))
  return end === -1 ? lines : lines.slice(0, end)
}

function isComment(line: string): boolean {
  return /^\s*(?:#.*)?$/u.test(line)
}
