/** Returns a test file without one of its tests: it ends at the next line without indentation. */
export function withoutTest(text: string, name: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`def ${name}(`))
  if (start === -1) return text
  let end = start + 1
  while (end < lines.length && (lines[end] === '' || /^\s/.test(lines[end] ?? ''))) end++
  const before = lines.slice(0, start).join('\n').trimEnd()
  const after = lines.slice(end).join('\n')
  return after === '' ? `${before}\n` : `${before}\n\n\n${after}`
}
