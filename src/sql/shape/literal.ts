import { type AstObject, asText, semanticEntries } from './ast.js'
import type { Expression } from './query-shape.js'

/** Reads a literal; its text is kept, numbers in one spelling for each exact value and kind. */
export function readLiteral(body: AstObject): Expression {
  const type = asText(body['literal_type']) ?? 'unknown'
  const value = asText(body['value']) ?? JSON.stringify(semanticEntries(body))
  switch (type) {
    case 'number':
      return { kind: 'literal', type, value: plainNumber(value) }
    case 'string':
    case 'dollar_string':
    // Its backslashes are marks like others, as those of a text are once it is read.
    case 'raw_string':
      return { kind: 'literal', type: 'text', value }
    case 'date':
      return { kind: 'literal', type, value: plainDay(value) }
    default:
      return { kind: 'literal', type, value }
  }
}

/** `2020-1-5` as `2020-01-05`, as it is counted by date. */
function plainDay(text: string): string {
  const parts = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*$/u.exec(text)
  return parts === null
    ? text
    : parts
        .slice(1)
        .map((part) => part.padStart(2, '0'))
        .join('-')
}

/** `1.50` as `1.5` and `.5` as `0.5`; an integer stays an integer, and an exponent stays as written. */
function plainNumber(text: string): string {
  const parts = /^(\d*)(?:\.(\d*))?$/u.exec(text.replaceAll('_', ''))
  if (parts === null) return text.toLowerCase()
  const whole = (parts[1] ?? '').replace(/^0+(?=\d)/u, '') || '0'
  if (parts[2] === undefined) return whole
  return `${whole}.${parts[2].replace(/0+$/u, '') || '0'}`
}

/** A data type in one spelling: `decimal(precision=10,scale=2)`. */
export function readType(type: AstObject): string {
  const name = asText(type['data_type']) ?? 'unknown'
  const custom = name === 'custom' ? asText(type['name']) : undefined
  const rest = semanticEntries(type, new Set(custom === undefined ? ['data_type'] : ['data_type', 'name']))
  const details = rest.map(([key, value]) =>
    typeof value === 'object' ? `${key}=${JSON.stringify(value)}` : `${value}`,
  )
  const base = (custom ?? name.replaceAll('_', '')).toLowerCase()
  return details.length === 0 ? base : `${base}(${details.join(', ')})`
}
