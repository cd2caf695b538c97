import { isDeepStrictEqual } from 'node:util'
import { type Document, parseDocument } from 'yaml'
import type { YamlValue } from './edit-types.js'

export type Quoting = 'plain' | 'single' | 'double'

/** The style of the file, so that additions look like the rest. */
export interface YamlStyle {
  /** `{ a: b }` rather than `{a: b}`. */
  readonly padded: boolean
  /** For text that needs no quotes. */
  readonly quoting: Quoting
}

/**
 * Renders a value on one line: flow lists and maps, text quoted if a YAML 1.1 or 1.2 reader would misread it.
 */
export function renderFlow(value: YamlValue, style: YamlStyle): string {
  if (typeof value === 'string') return renderText(value, style.quoting)
  if (isList(value)) return `[${value.map((item) => renderFlow(item, style)).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, item]) => renderPair(key, item, style))
    if (pairs.length === 0) return '{}'
    return style.padded ? `{ ${pairs.join(', ')} }` : `{${pairs.join(', ')}}`
  }
  return String(value)
}

export function renderPair(key: string | number, value: YamlValue, style: YamlStyle): string {
  const name = typeof key === 'number' ? String(key) : renderText(key, 'plain')
  return `${name}: ${renderFlow(value, style)}`
}

/**
 * Renders the lines of a block list or map at an indentation, without the last line end; undefined for a
 * scalar.
 */
export function renderBlock(
  value: YamlValue,
  indent: string,
  lineEnd: string,
  style: YamlStyle,
): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const lines = isList(value)
    ? value.map((item) => `${indent}- ${renderFlow(item, style)}`)
    : Object.entries(value).map(([key, item]) => `${indent}${renderPair(key, item, style)}`)
  return lines.length === 0 ? undefined : lines.join(lineEnd)
}

/** Array.isArray does not narrow readonly arrays. */
function isList(value: YamlValue): value is readonly YamlValue[] {
  return Array.isArray(value)
}

/** Renders a string in the given quotes, or in double quotes if those cannot represent it. */
export function renderText(text: string, quoting: Quoting): string {
  if (quoting === 'plain' && readsAsText(text)) return text
  const printable = !/[\p{Cc}\u2028\u2029\ufeff]/u.test(text)
  const single = quoting === 'single' || (quoting === 'plain' && text.includes('"'))
  if (single && printable) return `'${text.replaceAll("'", "''")}'`
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Reports whether unquoted text is read as that text at any place, by readers of both YAML versions. */
function readsAsText(text: string): boolean {
  // PyYAML gives `=` a type of its own and reads colons in flow lists differently; control characters need an
  // escape.
  if (text === '' || text === '=' || text === '<<' || /^\*|[:\p{Cc}\u2028\u2029\ufeff]/u.test(text))
    return false
  const places: readonly (readonly [string, unknown])[] = [
    [`[${text}, z]`, [text, 'z']],
    [`{k: ${text}}`, { k: text }],
    [`{${text}: z}`, { [text]: 'z' }],
    [`k: ${text}\n`, { k: text }],
    [`- ${text}\n`, [text]],
    [`${text}: z\n`, { [text]: 'z' }],
  ]
  return places.every(([source, expected]) =>
    (['1.1', '1.2'] as const).every((version) => {
      const document = parseDocument(source, { version, logLevel: 'error' })
      if (document.errors.length > 0 || document.warnings.length > 0) return false
      return isDeepStrictEqual(dataOf(document), expected)
    }),
  )
}

/** Returns the data of a document. An alias of a missing anchor is detected only here: `(,*!` in a list. */
function dataOf(document: Document): unknown {
  try {
    return document.toJS()
  } catch (error) {
    if (error instanceof ReferenceError) return undefined
    throw error
  }
}
