/** Returns the line ending of a text: a lone CR is one only if there is no other. */
export function detectLineEnding(text: string): '\n' | '\r\n' | '\r' {
  const all = text.split('\n').length - 1
  if (all === 0) return text.includes('\r') ? '\r' : '\n'
  return (text.split('\r\n').length - 1) * 2 > all ? '\r\n' : '\n'
}

/** Returns lines with their ends, so that joining them restores the text byte by byte. */
export function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []
}
