import { lineStarts, positionAt } from '../../snapshot/yaml-text.js'

/** Returns the line of an offset, from 1. */
export function lineCounter(text: string): (offset: number) => number {
  const starts = lineStarts(text)
  return (offset) => positionAt(starts, offset).line
}

/** Returns where the line of an offset starts. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Returns where the line after an offset's starts, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end + 1
}
