import type { Value } from '../../engine/contract/engine.js'
import { arrayText } from './array-text.js'
import { jsonScalar, type NestedValue, parseNested } from './nested-values.js'
import type { Cell, SymbolTable } from './symbol-table.js'
import { mayBeTemporal } from './temporal-key.js'

/** Below this difference, two numbers count as equal whatever their ratio. */
export const absoluteFloor = 1e-9

/** How a cell is compared. All kinds except inexact numbers are either exactly equal or different. */
export const cellKind = {
  /** NULL, text, a day or timestamp, anything except a finite number; the number is that of its symbol. */
  symbol: 0,
  /** An integer up to 2^53: booleans are 0 and 1, 5.00 is 5. */
  integer: 1,
  /** Any other finite number, as the nearest double. */
  inexact: 2,
  /** An integer beyond 2^53; the number is that of its symbol. */
  bigInteger: 3,
} as const

/** Bits of a cell's tag that contain its kind. */
export const kindMask = 3
/** Bit of an integer's tag: it was written as `true` or `false`, which match exactly 1 and 0. */
export const booleanTag = 4
/** Bit of a symbol's tag: a day or timestamp, which the text that represents it matches. */
export const temporalTag = 8
/** Bit of a symbol's tag: a list, struct or map that contains numbers. */
export const nestedTag = 16
/** Bit of a symbol's tag: some of its numbers are inexact. */
const inexactTag = 32
/** Tags of symbols that a different symbol may match. */
export const tolerantTags = temporalTag | inexactTag

/**
 * Writes the compact form of `value` into `cell`, which callers reuse: there are millions. A text in a column
 * without a type is the day or timestamp that it represents.
 */
export function encodeCell(value: Value, symbols: SymbolTable, cell: Cell, isTyped: boolean): void {
  if (typeof value === 'number') encodeNumber(value, symbols, cell)
  else if (typeof value === 'string') {
    if (isTyped || !mayBeTemporal(value)) setSymbol(symbols.ofText(value), cell)
    else setTemporal(value, value, symbols, cell)
  } else if (value === null) setSymbol(symbols.ofKey('n', null), cell)
  else if (typeof value === 'boolean') {
    cell.tag = cellKind.integer | booleanTag
    cell.number = value ? 1 : 0
  } else if (typeof value === 'bigint') encodeBigInt(value, symbols, cell)
  else if (value.kind === 'decimal') encodeDecimal(value.text, symbols, cell)
  else if (value.kind === 'other') encodeOther(value, symbols, cell)
  else setTemporal(value.text, value, symbols, cell)
}

/**
 * Reports whether two numbers are equal: with relative tolerance and an absolute minimum, exactly if the
 * tolerance is 0. Symmetric and reflexive, not transitive.
 */
export function numbersMatch(a: number, b: number, tolerance: number): boolean {
  const floor = tolerance === 0 ? 0 : absoluteFloor
  return Math.abs(a - b) <= Math.max(floor, tolerance * Math.max(Math.abs(a), Math.abs(b)))
}

/**
 * Reports whether two cells match: integers exactly, booleans as 1 and 0, other numbers within tolerance;
 * everything else only if equal.
 */
export function numericCellsMatch(a: Cell, b: Cell, tolerance: number, symbols: SymbolTable): boolean {
  const [left, right] = [a.tag & kindMask, b.tag & kindMask]
  if (left === right && a.number === b.number) return true
  if (left !== cellKind.inexact && right !== cellKind.inexact) return false
  if (left === cellKind.symbol || right === cellKind.symbol) return false
  if (((a.tag | b.tag) & booleanTag) !== 0) return false
  return numbersMatch(toDouble(a, symbols), toDouble(b, symbols), toleranceBetween(left, right, tolerance))
}

/**
 * Returns the tolerance that applies between two kinds of numbers: beyond 2^53 every double is a whole number, so that an
 * integer matches only the one nearest to it.
 */
export function toleranceBetween(left: number, right: number, tolerance: number): number {
  return left === cellKind.bigInteger || right === cellKind.bigInteger ? 0 : tolerance
}

/** Returns the number of a numeric cell, the nearest double beyond 2^53. */
export function toDouble({ tag, number }: Cell, symbols: SymbolTable): number {
  return (tag & kindMask) === cellKind.bigInteger ? symbols.approximate(number) : number
}

/**
 * Returns the lowest and the highest value that `number` can match within the tolerance. The interval is a
 * little wider than exact, because it bounds a search.
 */
export function matchInterval(number: number, tolerance: number): readonly [number, number] {
  const slack = tolerance >= 1 ? Number.POSITIVE_INFINITY : (Math.abs(number) * tolerance) / (1 - tolerance)
  const margin = slack * (1 + 1e-9) + 2 * absoluteFloor
  return [number - margin, number + margin]
}

function encodeNumber(value: number, symbols: SymbolTable, cell: Cell): void {
  if (Number.isFinite(value)) {
    cell.tag = Number.isSafeInteger(value) ? cellKind.integer : cellKind.inexact
    // Not -0: hashes distinguish it from 0.
    cell.number = value + 0
  } else setSymbol(symbols.ofKey(`f${value}`, value), cell)
}

function encodeBigInt(value: bigint, symbols: SymbolTable, cell: Cell): void {
  const number = Number(value)
  if (Number.isSafeInteger(number)) {
    cell.tag = cellKind.integer
    cell.number = number
  } else {
    cell.tag = cellKind.bigInteger
    cell.number = symbols.ofKey(`i${value}`, value)
  }
}

function encodeDecimal(text: string, symbols: SymbolTable, cell: Cell): void {
  const number = Number(text)
  const isFraction = Number.isFinite(number) && !Number.isInteger(number)
  const integer = isFraction ? undefined : integerOf(text)
  if (integer !== undefined) encodeBigInt(integer, symbols, cell)
  else if (!Number.isFinite(number)) {
    // A number beyond the range of a double is not infinite.
    const isBeyond = /\d/.test(text)
    if (isBeyond) setSymbol(symbols.ofKey(`d${text.toLowerCase()}`, { kind: 'decimal', text }), cell)
    else encodeNumber(number, symbols, cell)
  } else {
    cell.tag = cellKind.inexact
    cell.number = number + 0
  }
}

/** Number of digits beyond which an integer is compared as written. */
const mostDigits = 5000

/** Returns the integer that a numeral represents, with all its digits; undefined if it represents none. */
function integerOf(text: string): bigint | undefined {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (parts === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n
  const zeros = Number(exponent) - fraction.length
  const scale = zeros < 0 ? digits.length + zeros : digits.length
  if (scale <= 0 || scale + Math.max(0, zeros) > mostDigits || /[^0]/.test(digits.slice(scale)))
    return undefined
  const value = BigInt(digits.slice(0, scale) + '0'.repeat(Math.max(0, zeros)))
  return sign === '-' ? -value : value
}

/** Types that are represented as text outside their own engine. */
const textualTypes = /^(?:uuid|time(?:tz|_ns)?(?:\(\d\))?(?: with(?:out)? time zone)?|bit)$/i
const nestedTypes = /\]$|^(?:struct|map|row|array|list|jsonb?|union)\b/i

function parseTyped(type: string, text: string): NestedValue | undefined {
  return parseNested(arrayText(text, type) ?? text.trim()) ?? jsonScalar(type, text)
}

function encodeOther(value: Extract<Value, { kind: 'other' }>, symbols: SymbolTable, cell: Cell): void {
  const { type, text } = value
  // Two intervals may be equal and written differently.
  if (/^interval$/i.test(type)) {
    setTemporal(text, value, symbols, cell)
    return
  }
  const nested = nestedTypes.test(type) ? parseTyped(type, text) : undefined
  if (nested === undefined) {
    setSymbol(textualTypes.test(type) ? symbols.ofText(text) : symbols.ofKey(`o${text}`, value), cell)
    return
  }
  const numbers = nested.numbers.map((number): Cell => {
    const own: Cell = { tag: 0, number: 0 }
    encodeCell(typeof number === 'boolean' ? number : { kind: 'decimal', text: number }, symbols, own, true)
    return own
  })
  setSymbol(symbols.ofNested(nested.frame, numbers, value), cell)
  if (numbers.length > 0) cell.tag |= nestedTag
  if (numbers.some(({ tag }) => (tag & kindMask) === cellKind.inexact)) cell.tag |= inexactTag
}

function setTemporal(text: string, value: Value, symbols: SymbolTable, cell: Cell): void {
  cell.number = symbols.ofTemporal(text, value)
  // A date that is not in the calendar is treated as its text.
  cell.tag = cell.number < 0 ? cellKind.symbol | temporalTag : cellKind.symbol
}

function setSymbol(id: number, cell: Cell): void {
  cell.tag = cellKind.symbol
  cell.number = id
}
