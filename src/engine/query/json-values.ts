import type { Value } from '../contract/engine.js'
import { toExactInteger } from './row-collector.js'

/**
 * A number with more digits than a double, or too large for one; a class, so that no object of an answer can
 * look like one.
 */
class ExactDecimal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** So that `Number()` reads it. */
  toString(): string {
    return this.text
  }
}

/** Number of significant digits that a double always represents. */
const doubleDigits = 15

/** Returns a number of a JSON text without losing a digit. */
export function exactNumber(text: string): number | bigint | ExactDecimal {
  if (/^-?\d+$/.test(text)) return toExactInteger(BigInt(text))
  const digits = text.replaceAll(/^[-0.]+|\./g, '')
  const number = Number(text)
  if (!Number.isFinite(number)) return new ExactDecimal(text)
  return digits.length <= doubleDigits || /e/i.test(text) ? number : new ExactDecimal(text)
}

/** Returns the value of a parsed cell, without the type of its column. */
export function untypedCell(cell: unknown): Value {
  if (cell === null || typeof cell === 'boolean' || typeof cell === 'number') return cell
  if (typeof cell === 'bigint' || typeof cell === 'string') return cell
  if (cell instanceof ExactDecimal) return { kind: 'decimal', text: cell.text }
  return { kind: 'other', type: 'json', text: jsonText(cell) }
}

const day = /^\d{4}-\d{2}-\d{2}$/
const moment = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|[+-]00(?::?00)?)?$/
const numeral = /^-?\d+(?:\.\d+)?$/

/**
 * Returns the value of a cell by the type of its column: JSON represents days, timestamps and decimals as
 * texts.
 */
export function typedCell(cell: Value, type: string): Value {
  if (typeof cell !== 'string' || type === '') return cell
  const kind = type.toLowerCase()
  if (kind === 'date' && day.test(cell)) return { kind: 'date', text: cell }
  if (kind.startsWith('timestamp') || kind.startsWith('datetime')) {
    const parts = moment.exec(cell)
    if (parts === null) return cell
    const zone = parts[3] === undefined ? '' : '+00'
    return { kind: 'timestamp', text: `${parts[1]} ${parts[2]}${zone}` }
  }
  return /^(decimal|numeric|number)/.test(kind) && numeral.test(cell) ? { kind: 'decimal', text: cell } : cell
}

/** Returns the JSON of a parsed cell, with every digit. */
export function jsonText(cell: unknown): string {
  return JSON.stringify(cell, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    return value instanceof ExactDecimal ? value.text : value
  })
}
