/** Returns a test file without one of its tests, a function or a method of a class; a class that is left empty goes, too. */
export function withoutTest(text: string, name: string): string {
  const lines = text.split('\n')
  const definition = lines.findIndex((line) => line.trimStart().startsWith(`def ${name}(`))
  if (definition === -1) return text
  const start = firstDecorator(lines, definition)
  const end = endOfBlock(lines, definition)
  const head = classWithOnly(lines, start, end)
  const before = lines
    .slice(0, head ?? start)
    .join('\n')
    .trimEnd()
  const after = lines.slice(end).join('\n').replace(/^\n+/, '')
  if (after === '') return `${before}\n`
  const empty = !/^\s/.test(after) ? 2 : /\nclass [^\n]*$/.test(before) ? 0 : 1
  return `${before}\n${'\n'.repeat(empty)}${after}`
}

/** Returns the line of the first decorator of a definition, else its own. */
function firstDecorator(lines: readonly string[], definition: number): number {
  const indent = indentOf(lines[definition] ?? '')
  let start = definition
  while (lines[start - 1]?.trimStart().startsWith('@') && indentOf(lines[start - 1] ?? '') === indent) start--
  return start
}

/** Returns the line after a block: the next one that is indented no further than its head, which may be of several lines. */
function endOfBlock(lines: readonly string[], start: number): number {
  const indent = indentOf(lines[start] ?? '')
  let end = start + 1
  if (!lines[start]?.trimEnd().endsWith(':')) {
    while (end < lines.length && !(lines[end] ?? '').trimStart().startsWith(')')) end++
    end++
  }
  while (end < lines.length && (lines[end] === '' || indentOf(lines[end] ?? '') > indent)) end++
  return end
}

/** Returns the line of the class that holds nothing but a method. */
function classWithOnly(lines: readonly string[], start: number, end: number): number | undefined {
  if (indentOf(lines[start] ?? '') === 0) return undefined
  const head = lines.slice(0, start).findLastIndex((line) => line !== '')
  const follows = lines.slice(end).find((line) => line !== '')
  const isAlone = follows === undefined || indentOf(follows) === 0
  return isAlone && lines[head]?.startsWith('class ') ? head : undefined
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
