import { pick, type Random } from './random.js'
import type { Cell } from './table.js'

/** A whole number near another: a neighbour, a rounder one, zero. */
export function nearInteger(value: bigint, random: Random): bigint {
  const digits = value.toString().replace('-', '').length
  const round = (kept: number): bigint => {
    const unit = 10n ** BigInt(Math.max(0, digits - kept))
    return (value / unit) * unit
  }
  return pick([value + 1n, value - 1n, value + 1n, value - 1n, round(1), round(2), 0n], random) ?? value
}

/** A number near another: a neighbour, a rounder one, its whole part, zero. */
export function nearNumber(value: number, random: Random): number {
  if (!Number.isFinite(value)) return 0
  const whole = Math.trunc(value)
  const choices = [value + 1, value - 1, whole, Number(value.toPrecision(1)), Number(value.toPrecision(2)), 0]
  return pick(choices, random) ?? value
}

const dayMs = 86_400_000

/** A moment near another, both in milliseconds: a day or second away, its midnight, the first of its month or year. */
export function nearMoment(ms: number, random: Random): number {
  const date = new Date(ms)
  const midnight = Math.floor(ms / dayMs) * dayMs
  const choices = [
    ms + dayMs,
    ms - dayMs,
    ms + 1000,
    midnight,
    midnight + dayMs - 1000,
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
    Date.UTC(date.getUTCFullYear(), 0, 1),
  ]
  return pick(choices, random) ?? ms
}

const isoMoment = /^(\d{4}-\d{2}-\d{2})(?:([ T])(\d{2}:\d{2}(?::\d{2})?))?$/

/** A text near another: a near day or number where it holds one, another case, a part of it, the empty text. */
export function nearText(text: string, random: Random): string {
  const moment = isoMoment.exec(text)
  const ms =
    moment === null ? Number.NaN : Date.parse(moment[3] ? `${moment[1]}T${moment[3]}Z` : `${moment[1]}`)
  if (moment !== null && !Number.isNaN(ms)) {
    const iso = new Date(nearMoment(ms, random)).toISOString()
    const time = moment[3] === undefined ? '' : `${moment[2]}${iso.slice(11, 11 + moment[3].length)}`
    return iso.slice(0, 10) + time
  }
  if (/^-?\d{1,15}$/.test(text)) return String(nearInteger(BigInt(text), random))
  return pick([text.toUpperCase(), text.toLowerCase(), text.slice(0, -1), `${text}s`, ''], random) ?? text
}

/** A number, text or truth value near another, by what the cell itself holds; undefined for anything else. */
export function nearPlain(cell: Cell, random: Random): Cell | undefined {
  if (typeof cell === 'bigint') return nearInteger(cell, random)
  if (typeof cell === 'number') return nearNumber(cell, random)
  if (typeof cell === 'string') return nearText(cell, random)
  return typeof cell === 'boolean' ? !cell : undefined
}

/** Whole numbers above those there are, or texts of them with a number behind; undefined where cells are neither. */
export function freshPlain(cells: readonly Cell[]): ((count: number) => Cell) | undefined {
  const filled = cells.filter((cell) => cell !== null)
  if (filled.length === 0) return undefined
  if (filled.every((cell) => typeof cell === 'string')) {
    return (count) => `${filled[count % filled.length]}~${count}`
  }
  if (filled.every((cell) => typeof cell === 'bigint')) {
    let most = 0n
    for (const cell of filled) if (cell > most) most = cell
    return (count) => most + BigInt(count)
  }
  if (filled.every((cell) => typeof cell === 'number' && Number.isSafeInteger(cell))) {
    let most = 0
    for (const cell of filled) most = Math.max(most, Number(cell))
    return (count) => most + count
  }
  return undefined
}
