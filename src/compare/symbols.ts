import type { Value } from '../engine/engine.js'
import { createTextTable } from './text-table.js'

/** Numbers for what is compared exactly and is no small integer: equal cells have equal numbers, on both sides. */
export interface Symbols {
  /** Of a text, day or moment; `value` is what it was written as, where that is no plain text. */
  ofText(text: string, value?: Value): number
  /** Of anything else, by a text that equal cells share. */
  ofKey(key: string, value: Value): number
  /** The cell that first had the number. */
  valueOf(symbol: number): Value
  /** The nearest double of a big integer. */
  approximate(symbol: number): number
}

/** Plain texts have numbers from 0 up, everything else from -1 down. */
export function createSymbols(): Symbols {
  const texts = createTextTable()
  const moments = new Map<string, number | undefined>()
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

  /** Every spelling is looked at once: most columns of days have few. */
  function ofMoment(text: string, value: Value): number | undefined {
    if (moments.has(text)) return moments.get(text)
    const key = momentKey(text)
    const symbol = key === undefined ? undefined : ofKey(key, value)
    moments.set(text, symbol)
    return symbol
  }

  return {
    ofText(text, value = text) {
      const moment = mayBeMoment(text) ? ofMoment(text, value) : undefined
      return moment ?? texts.idOf(text)
    },
    ofKey,
    valueOf: valueWith,
    approximate: (symbol) => Number(valueWith(symbol)),
  }
}

const moment =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|[+-]00(?::?00)?)?)?$/

function mayBeMoment(text: string): boolean {
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
