import { detectLineEnding } from '../../../../../snapshot/line-endings.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { sqlKeywords } from './term-reader.js'

/** The formatting style of a snippet's author. */
export interface Style {
  readonly lowerKeywords: boolean
  readonly lowerFunctions: boolean
  readonly lineBreak: string
}

const styleKeywords = new Set([
  'SELECT',
  'FROM',
  'WHERE',
  'AND',
  'GROUP',
  'BY',
  'ORDER',
  'JOIN',
  'ON',
  'AS',
  'WITH',
])

export function styleOf(text: string, tokens: readonly SqlToken[]): Style {
  const words = tokens.filter((token) => token.kind === 'word')
  const plain = words.filter((token) => styleKeywords.has(token.value))
  const functions = tokens.filter(
    (token, index) =>
      token.kind === 'word' && tokens[index + 1]?.text === '(' && !sqlKeywords.has(token.value),
  )
  return {
    lowerKeywords: isMostlyLower(plain),
    lowerFunctions: isMostlyLower(functions),
    lineBreak: detectLineEnding(text),
  }
}

function isMostlyLower(tokens: readonly SqlToken[]): boolean {
  return tokens.filter((token) => token.text === token.text.toLowerCase()).length * 2 > tokens.length
}

export function formatKeyword(style: Style, words: string): string {
  return style.lowerKeywords ? words.toLowerCase() : words.toUpperCase()
}

/**
 * Returns the end of the line after `offset` if only white space and comments remain on it, else undefined.
 */
export function lineEndAfter(text: string, offset: number): number | undefined {
  const rest = /^(?:[^\S\r\n]|\/\*[\s\S]*?\*\/)*(?:--[^\r\n]*)?/.exec(text.slice(offset))?.[0] ?? ''
  const end = offset + rest.length
  if (end < text.length && !/[\r\n]/.test(text.charAt(end))) return undefined
  return rest.trim() === '' ? offset : end
}

export function isAtLineStart(text: string, offset: number): boolean {
  return /(?:^|[\r\n])[^\S\r\n]*$/.test(text.slice(0, offset))
}

/** Returns the white space at the start of the line that contains `offset`. */
export function indentAt(text: string, offset: number): string {
  const line = text.slice(
    Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1,
  )
  return /^[^\S\r\n]*/.exec(line)?.[0] ?? ''
}
