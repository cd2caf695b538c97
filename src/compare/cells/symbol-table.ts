import type { Value } from '../../engine/contract/engine.js'
import { createStringTable } from './string-table.js'
import { spanOrMomentKey } from './temporal-key.js'

/** A cell in the compact form: cells of equal kind and number are equal. */
export interface Cell {
  tag: number
  number: number
}

/**
 * Assigns numbers to cells that are compared exactly and are not small integers: equal cells have equal
 * numbers, on both sides.
 */
export interface SymbolTable {
  /** Returns the symbol of a text. */
  ofText(text: string): number
  /** Returns the symbol of a day, timestamp or interval; of its text if it is not in the calendar. */
  ofTemporal(text: string, value: Value): number
  /** Returns the symbol of any other value, given a text that equal cells share. */
  ofKey(key: string, value: Value): number
  /** Returns the symbol of a list, struct or map, given its text without its numbers, and its numbers. */
  ofNested(frame: string, numbers: readonly Cell[], value: Value): number
  /** Returns the numbers of a list, struct or map. */
  numbersOf(symbol: number): readonly Cell[]
  /**
   * Returns the group of a symbol: that of the day or timestamp that a text represents, or of a nested value
   * without its numbers; any other symbol is its own group. Cells that may match share a group.
   */
  groupOf(symbol: number): number
  /** Reports whether a text represents the day or timestamp of the other symbol. */
  spells(one: number, other: number): boolean
  /** Returns the first cell with the number. */
  valueOf(symbol: number): Value
  /** Returns the nearest double of a big integer. */
  approximate(symbol: number): number
}

/** Creates a symbol table. Texts have numbers from 0 up, everything else from -1 down. */
export function createSymbolTable(): SymbolTable {
  const texts = createStringTable()
  /** By their text: each is parsed once, as most columns of days have few distinct ones. */
  const moments = createStringTable()
  const momentSymbols: number[] = []
  const spelled = new Map<number, number>()
  const nested = new Map<number, { readonly group: number; readonly numbers: readonly Cell[] }>()
  const keys = createStringTable()
  const values: Value[] = []
  const valueWith = (symbol: number): Value =>
    symbol >= 0 ? texts.textAt(symbol) : (values[-1 - symbol] ?? null)

  function ofKey(key: string, value: Value): number {
    const id = keys.idOf(key)
    if (id === values.length) values.push(value)
    return -1 - id
  }

  function groupOf(symbol: number): number {
    if (symbol < 0) return nested.get(symbol)?.group ?? symbol
    const known = spelled.get(symbol)
    if (known !== undefined) return known
    const text = texts.textAt(symbol)
    const key = spanOrMomentKey(text)
    const group = key === undefined ? symbol : ofKey(key, text)
    spelled.set(symbol, group)
    return group
  }

  return {
    ofText: (text) => texts.idOf(text),
    ofTemporal(text, value) {
      const id = moments.idOf(text)
      const known = momentSymbols[id]
      if (known !== undefined) return known
      const key = spanOrMomentKey(text)
      const symbol = key === undefined ? texts.idOf(text) : ofKey(key, value)
      momentSymbols.push(symbol)
      return symbol
    },
    ofKey,
    ofNested(frame, numbers, value) {
      const group = ofKey(`l${frame}`, value)
      if (numbers.length === 0) return group
      const symbol = ofKey(`l${frame} ${JSON.stringify(numbers)}`, value)
      if (!nested.has(symbol)) nested.set(symbol, { group, numbers })
      return symbol
    },
    numbersOf: (symbol) => nested.get(symbol)?.numbers ?? [],
    groupOf,
    // Two texts are exactly equal or different, whatever they represent.
    spells: (one, other) => one >= 0 !== other >= 0 && groupOf(one) === groupOf(other),
    valueOf: valueWith,
    approximate: (symbol) => Number(valueWith(symbol)),
  }
}
