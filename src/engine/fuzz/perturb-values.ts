import type { ComparedLiteral } from '../../sql/index.js'
import { addYears, formatMoment, type Period, parsePeriod } from './date-text.js'
import type { Cell, FuzzColumn } from './fuzz-table.js'
import { isJson, perturbJson } from './perturb-json.js'
import { pick, type Random } from './seeded-random.js'

/**
 * Returns a whole number near another: a neighbour, a rounder one, zero; a day or month if it may be one, as
 * 202511.
 */
export function perturbInteger(value: bigint, random: Random): bigint {
  const period = parsePeriod(String(value))
  if (period !== undefined) return BigInt(perturbPeriod(period, random))
  const digits = value.toString().replace('-', '').length
  const round = (kept: number): bigint => {
    const unit = 10n ** BigInt(Math.max(0, digits - kept))
    return (value / unit) * unit
  }
  return pick([value + 1n, value - 1n, value + 1n, value - 1n, round(1), round(2), 0n], random) ?? value
}

/** Returns a number near another: a neighbour, a rounder one, its whole part, zero. */
export function perturbNumber(value: number, random: Random): number {
  if (!Number.isFinite(value)) return 0
  const whole = Math.trunc(value)
  const choices = [value + 1, value - 1, whole, Number(value.toPrecision(1)), Number(value.toPrecision(2)), 0]
  return pick(choices, random) ?? value
}

const dayMs = 86_400_000

/**
 * Returns a timestamp near another, both in milliseconds: a day, year or second away, its midnight, the first
 * of its month or year.
 */
export function perturbMoment(ms: number, random: Random): number {
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
    addYears(ms, 1),
    addYears(ms, -1),
  ]
  return pick(choices, random) ?? ms
}

/** Returns a period near another in the same form: a month for a month. */
function perturbPeriod({ from, to, format }: Period, random: Random): string {
  const otherYear = addYears(from, random.chance(0.5) ? 1 : -1)
  const ms = format.includes('DD') ? perturbMoment(from, random) : pick([to, from - dayMs, otherYear], random)
  const near = formatMoment(ms ?? from, format)
  // After the last year there is nothing to write.
  return parsePeriod(near) === undefined ? formatMoment(from, format) : near
}

/**
 * Returns a text near another: with a near day, month or number in it, in another case, a part of it, the
 * empty text. JSON stays JSON, or no query could read it.
 */
export function perturbText(text: string, random: Random): string {
  if (isJson(text))
    return perturbJson(text, random, { text: perturbText, integer: perturbInteger, number: perturbNumber })
  const period = parsePeriod(text)
  if (period !== undefined) return perturbPeriod(period, random)
  if (/^-?\d{1,15}$/.test(text)) {
    const near = perturbInteger(BigInt(text), random)
    // A code keeps its leading zeros.
    return /^0\d/u.test(text) && near >= 0n ? String(near).padStart(text.length, '0') : String(near)
  }
  return pick([text.toUpperCase(), text.toLowerCase(), text.slice(0, -1), `${text}s`, ''], random) ?? text
}

/**
 * Returns a number, text or boolean near another, by the type of the cell itself; undefined for anything
 * else.
 */
export function perturbScalar(cell: Cell, random: Random): Cell | undefined {
  if (typeof cell === 'bigint') return perturbInteger(cell, random)
  if (typeof cell === 'number') return perturbNumber(cell, random)
  if (typeof cell === 'string') return perturbText(cell, random)
  return typeof cell === 'boolean' ? !cell : undefined
}

/** How often a text is tried that is not among the known ones. */
const tries = 20

/**
 * Returns a text near those of a column, or one of its enumeration, that neither the column nor a query
 * contains: it tests what a query does with an unforeseen status. Undefined if the column is compared with no
 * text and is not grouped by, or contains days.
 */
export function unusedText(
  { near }: Pick<FuzzColumn, 'near'>,
  held: readonly string[],
  values: readonly ComparedLiteral[],
  random: Random,
): string | undefined {
  const asked = values.some(
    ({ kind, role }) => kind === 'text' && (role === undefined || role === 'group' || role === 'member'),
  )
  if (!asked) return undefined
  const known = new Set(['', ...held, ...values.map(({ text }) => text)])
  for (let attempt = 0; attempt < tries; attempt++) {
    const from = pick(held, random)
    const text = from === undefined || parsePeriod(from) !== undefined ? undefined : near(from, random)
    if (typeof text !== 'string') return undefined
    if (!known.has(text)) return text
  }
  return undefined
}

/**
 * Returns a generator of whole numbers, days or months above the present ones, or of texts; undefined if
 * cells are of another kind.
 */
export function freshScalars(cells: readonly Cell[]): ((count: number) => Cell) | undefined {
  const filled = cells.filter((cell) => cell !== null)
  if (filled.length === 0) return undefined
  if (filled.every((cell) => typeof cell === 'string')) return freshTexts(filled)
  const periods = freshPeriods(filled.map(String))
  if (periods !== undefined) {
    return (count) => (typeof filled[0] === 'bigint' ? BigInt(periods(count)) : Number(periods(count)))
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

/** Maximal number of letters of a code; longer texts are words. */
const codeLength = 3
/** Maximal number of codes made for one table. */
const mostCodes = 2000

/**
 * Returns other codes if all texts have the same number of letters in one case: more like `ID`, `SG` and
 * `TH`.
 */
function freshCodes(texts: readonly string[]): readonly string[] {
  const length = texts[0]?.length ?? 0
  const first = [/^[A-Z]+$/u, /^[a-z]+$/u].find((letters) => texts.every((text) => letters.test(text)))
  if (first === undefined || length > codeLength || texts.some((text) => text.length !== length)) return []
  const letterA = first.test('A') ? 65 : 97
  const taken = new Set(texts)
  const codes: string[] = []
  for (let number = 0; number < 26 ** length && codes.length < mostCodes; number++) {
    const letters = Array.from({ length }, (_, at) => Math.floor(number / 26 ** at) % 26)
    const code = String.fromCharCode(...letters.map((letter) => letterA + letter))
    if (!taken.has(code)) codes.push(code)
  }
  return codes
}

/**
 * Returns a generator of texts: with a greater number at the end if all end in one, as codes do; else other
 * codes, or a text with a number appended.
 */
function freshTexts(texts: readonly string[]): (count: number) => string {
  const periods = freshPeriods(texts)
  if (periods !== undefined) return periods
  const numbered = texts.map((text) => /\d{1,15}$/u.exec(text)?.[0])
  let most = 0
  for (const number of numbered) {
    if (number === undefined) {
      const codes = freshCodes(texts)
      return (count) => codes[count - 1] ?? `${texts[count % texts.length]}~${count}`
    }
    most = Math.max(most, Number(number))
  }
  return (count) => {
    const at = count % texts.length
    const number = numbered[at] ?? ''
    const before = (texts[at] ?? '').slice(0, -number.length)
    return before + String(most + count).padStart(number.length, '0')
  }
}

const never = Date.UTC(9000, 0)

/** Returns a generator of days, months or timestamps after the last, if all texts have one such form. */
function freshPeriods(texts: readonly string[]): ((count: number) => string) | undefined {
  let last: Period | undefined
  for (const text of texts) {
    const period = parsePeriod(text)
    if (period === undefined || (last !== undefined && period.format !== last.format)) return undefined
    // The day that means "never" has none after it.
    if (period.from < never && (last === undefined || period.from > last.from)) last = period
  }
  if (last === undefined) return undefined
  const { from, to, format } = last
  const date = new Date(from)
  return (count) =>
    format.includes('DD')
      ? formatMoment(from + count * (to - from), format)
      : formatMoment(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count), format)
}
