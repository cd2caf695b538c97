import type { Value } from '../engine/engine.js'

/** Below this, two numbers count as equal whatever their ratio. */
const absoluteFloor = 1e-9

/**
 * Canonical text of a cell: cells of equal keys are equal. The first letter is the kind: `n` NULL, `i` an exact
 * integer (booleans are 0 and 1, 5.00 is 5), `f` another number, `d` a day or moment, `s` text, `o` anything else.
 */
export function cellKey(value: Value): string {
  if (value === null) return 'n'
  if (typeof value === 'string') return momentKey(value) ?? `s${value}`
  if (typeof value === 'number') return Number.isSafeInteger(value) ? `i${value}` : `f${value}`
  if (typeof value === 'bigint') return `i${value}`
  if (typeof value === 'boolean') return value ? 'i1' : 'i0'
  if (value.kind === 'decimal') return decimalKey(value.text)
  if (value.kind === 'other') return `o${value.text}`
  return momentKey(value.text) ?? `s${value.text}`
}

/** Keys joined so that no two rows share the text by accident. */
export function joinKeys(keys: readonly string[]): string {
  return keys.map((key) => `${key.length}:${key}`).join('')
}

/** Whether a key is of a finite number, to which tolerance may apply. */
export function isFiniteNumber(key: string): boolean {
  return key.startsWith('i') || isInexact(key)
}

/** Whether a key is of a finite number that is no exact integer. */
export function isInexact(key: string): boolean {
  return key.startsWith('f') && key !== 'fNaN' && key !== 'fInfinity' && key !== 'f-Infinity'
}

/** The number of a numeric key, nearest double for integers beyond 2^53. */
export function numberOf(key: string): number {
  return Number(key.slice(1))
}

/**
 * Equality of two cells by their keys: integers exactly, other numbers by relative tolerance with an absolute floor
 * (none where the tolerance is 0), everything else exactly. Symmetric and reflexive, not transitive.
 */
export function keysMatch(a: string, b: string, tolerance: number): boolean {
  if (a === b) return true
  if (!(isInexact(a) || isInexact(b)) || !isFiniteNumber(a) || !isFiniteNumber(b)) return false
  return numbersMatch(numberOf(a), numberOf(b), tolerance)
}

export function numbersMatch(a: number, b: number, tolerance: number): boolean {
  const floor = tolerance === 0 ? 0 : absoluteFloor
  return Math.abs(a - b) <= Math.max(floor, tolerance * Math.max(Math.abs(a), Math.abs(b)))
}

function decimalKey(text: string): string {
  const integer = /^([+-]?\d+)(?:\.0*)?$/.exec(text)?.[1]
  if (integer !== undefined) return `i${BigInt(integer.startsWith('+') ? integer.slice(1) : integer)}`
  return `f${Number(text)}`
}

const moment =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|[+-]00(?::?00)?)?)?$/

/** A DATE, its ISO text and its midnight timestamp share one key; so do a timestamp and its ISO text. */
function momentKey(text: string): string | undefined {
  if (text.length < 10 || text.length > 40 || text[4] !== '-' || text[7] !== '-') return undefined
  const match = moment.exec(text)
  const day = match?.[1]
  if (match === null || day === undefined || Number.isNaN(Date.parse(`${day}T00:00:00Z`))) return undefined
  const fraction = (match[4] ?? '').replace(/0+$/, '')
  const time = `${match[2] ?? '00:00'}:${match[3] ?? '00'}${fraction === '' ? '' : `.${fraction}`}`
  return time === '00:00:00' ? `d${day}` : `d${day} ${time}`
}
