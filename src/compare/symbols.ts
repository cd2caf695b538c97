import type { Value } from '../engine/engine.js'
import { createTextTable } from './text-table.js'

/** Numbers for what is compared exactly and is no small integer: equal cells have equal numbers, on both sides. */
export interface Symbols {
  /** Of a text. */
  ofText(text: string): number
  /** Of a day or moment; of its text where that is none of the calendar. */
  ofMoment(text: string, value: Value): number
  /** Of anything else, by a text that equal cells share. */
  ofKey(key: string, value: Value): number
  /** Of the day or moment that a text spells; any other symbol is its own. Cells that may match share it. */
  groupOf(symbol: number): number
  /** Whether cells of two different symbols match: a day or moment and a text that spells it. */
  alike(one: number, other: number): boolean
  /** The cell that first had the number. */
  valueOf(symbol: number): Value
  /** The nearest double of a big integer. */
  approximate(symbol: number): number
}

/** Texts have numbers from 0 up, everything else from -1 down. */
export function createSymbols(): Symbols {
  const texts = createTextTable()
  /** By their spelling: every one is looked at once, as most columns of days have few. */
  const moments = new Map<string, number>()
  const spelled = new Map<number, number>()
  const keys = new Map<string, number>()
  const values: Value[] = []
  const valueWith = (symbol: number): Value =>
    symbol >= 0 ? texts.textAt(symbol) : (values[-1 - symbol] ?? null)

  function ofKey(key: string, value: Value): number {
    const known = keys.get(key)
    if (known !== undefined) return known
    values.push(value)
    keys.set(key, -values.length)
    return -values.length
  }

  function groupOf(symbol: number): number {
    if (symbol < 0) return symbol
    const known = spelled.get(symbol)
    if (known !== undefined) return known
    const text = texts.textAt(symbol)
    const key = mayBeMoment(text) ? momentKey(text) : undefined
    const group = key === undefined ? symbol : ofKey(key, text)
    spelled.set(symbol, group)
    return group
  }

  return {
    ofText: (text) => texts.idOf(text),
    ofMoment(text, value) {
      const known = moments.get(text)
      if (known !== undefined) return known
      const key = momentKey(text)
      const symbol = key === undefined ? texts.idOf(text) : ofKey(key, value)
      moments.set(text, symbol)
      return symbol
    },
    ofKey,
    groupOf,
    // Two texts are equal exactly or not at all, whatever they spell.
    alike: (one, other) => one >= 0 !== other >= 0 && groupOf(one) === groupOf(other),
    valueOf: valueWith,
    approximate: (symbol) => Number(valueWith(symbol)),
  }
}

const moment =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|[+-]00(?::?00)?)?)?$/

/** Whether it is worth looking if the text spells a day or moment. */
export function mayBeMoment(text: string): boolean {
  return text.length >= 10 && text.length <= 40 && text[4] === '-' && text[7] === '-'
}

/** A DATE, its ISO text and its midnight timestamp share one key; so do a timestamp and its ISO text. */
function momentKey(text: string): string | undefined {
  const match = moment.exec(text)
  const day = match?.[1]
  if (match === null || day === undefined || Number.isNaN(Date.parse(`${day}T00:00:00Z`))) return undefined
  const fraction = (match[4] ?? '').replace(/0+$/, '')
  const time = `${match[2] ?? '00:00'}:${match[3] ?? '00'}${fraction === '' ? '' : `.${fraction}`}`
  return time === '00:00:00' ? `d${day}` : `d${day} ${time}`
}
