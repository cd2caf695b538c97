/** How the lines of a text end: CR alone is the end of a line only where nothing else is. */
export function detectLineEnding(text: string): '\n' | '\r\n' | '\r' {
  const all = text.split('\n').length - 1
  if (all === 0) return text.includes('\r') ? '\r' : '\n'
  return (text.split('\r\n').length - 1) * 2 > all ? '\r\n' : '\n'
}

/** Lines with their ends, so that joining them gives the text back byte by byte. */
export function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []
}
