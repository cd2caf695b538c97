/** Returns where the line that contains `offset` begins. */
export function lineStartAt(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Returns where the line that contains `offset` ends, before its line end. */
export function lineBreakAt(text: string, offset: number): number {
  const found = text.indexOf('\n', offset)
  if (found === -1) return text.length
  return text[found - 1] === '\r' && found > offset ? found - 1 : found
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStartAt(text, offset)
}

/** Returns comments and blank lines directly above the line that starts at `lineStart`, in order. */
export function commentsAbove(text: string, lineStart: number): string[] {
  const lines = text.slice(0, lineStart).split(/\r?\n/u).slice(0, -1)
  return lines.slice(lines.findLastIndex((line) => !isComment(line)) + 1)
}

/** Returns comments and blank lines directly below the line that contains `offset`. */
export function commentsBelow(text: string, offset: number): string[] {
  const lines = text.slice(offset).split(/\r?\n/u).slice(1)
  const end = lines.findIndex((line) => !isComment(line))
  return end === -1 ? lines : lines.slice(0, end)
}

function isComment(line: string): boolean {
  return /^\s*(?:#.*)?$/u.test(line)
}
