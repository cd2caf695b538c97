import type { Value } from '../engine/engine.js'

/** Numbers for what is compared exactly and is no small integer: equal cells have equal numbers, on both sides. */
export interface Symbols {
  /** Of a text, day or moment; `value` is what it was written as, where that is no plain text. */
  ofText(text: string, value?: Value): number
  /** Of anything else, by a text that equal cells share. */
  ofKey(key: string, value: Value): number
  /** The cell that first had the number. */
  valueOf(id: number): Value
  /** The nearest double of a big integer. */
  approximate(id: number): number
}

export function createSymbols(): Symbols {
  // Every spelling is looked at once: most columns of text have few.
  const texts = new Map<string, number>()
  const keys = new Map<string, number>()
  const values: Value[] = []

  function add(value: Value): number {
    values.push(value)
    return values.length - 1
  }

  function ofKey(key: string, value: Value): number {
    const known = keys.get(key)
    if (known !== undefined) return known
    const id = add(value)
    keys.set(key, id)
    return id
  }

  return {
    ofText(text, value = text) {
      const known = texts.get(text)
      if (known !== undefined) return known
      const moment = momentKey(text)
      const id = moment === undefined ? add(value) : ofKey(moment, value)
      texts.set(text, id)
      return id
    },
    ofKey,
    valueOf: (id) => values[id] ?? null,
    approximate: (id) => Number(values[id]),
  }
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
