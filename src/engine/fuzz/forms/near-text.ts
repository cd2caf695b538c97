import { formatMoment, parsePeriod } from '../date-text.js'
import type { Cell, FuzzColumn } from '../fuzz-table.js'
import { perturbInteger, perturbMoment, perturbNumber, perturbText } from '../perturb-values.js'
import { pick, type Random } from '../seeded-random.js'
import { nearArray, nearJson, nearMap, nearRow } from './near-nested.js'
import { acceptsText, type ValueForm } from './value-form.js'

/** How often a value is made that the type reads and that is another one. */
const tries = 6

/** Returns another value of the form near a text, as a text; undefined if none is found. */
function nearText(form: ValueForm, text: string, random: Random): string | undefined {
  for (let attempt = 0; attempt < tries; attempt++) {
    const near = madeNear(form, text, random)
    if (near === undefined) return undefined
    if (near !== text && acceptsText(form, near) !== false) return near
  }
  return undefined
}

/** Returns some different values near a text: those that tell conditions apart whose bound it is. */
export function neighboursOf(form: ValueForm, text: string, random: Random, most: number): readonly string[] {
  const found = new Set<string>()
  for (let attempt = 0; attempt < most * 2 && found.size < most; attempt++) {
    const near = nearText(form, text, random)
    if (near !== undefined) found.add(near)
  }
  return [...found]
}

/** Returns the generator of near values of a column whose cells are numbers and texts that its declared type reads. */
export function nearCell(form: ValueForm): FuzzColumn['near'] {
  return (cell, random) => {
    if (cell === null || typeof cell === 'object') return undefined
    const near = nearText(form, String(cell), random)
    return near === undefined || typeof cell === 'string' ? near : numberOf(near)
  }
}

/** Longer ones would lose digits as numbers. */
function numberOf(text: string): Cell {
  if (/^-?\d{1,18}$/u.test(text)) return BigInt(text)
  return /^-?(?=[\d.]{3,16}$)\d+\.\d+$/u.test(text) ? Number(text) : text
}

function madeNear(form: ValueForm, text: string, random: Random): string | undefined {
  switch (form.kind) {
    case 'integer':
      return /^-?\d+$/u.test(text) ? String(perturbInteger(BigInt(text), random)) : undefined
    case 'double':
      return nearDouble(Number(text), random)
    case 'decimal':
      return nearDecimal(text, form.scale, random)
    case 'boolean':
      return text === '1' ? '0' : '1'
    case 'text':
      return form.ignoresCase === true && random.chance(0.5)
        ? nearLetters(text, random)
        : perturbText(text, random)
    case 'date':
      return nearMoment(text, 0, random)?.slice(0, 10)
    case 'timestamp':
      return nearMoment(text, form.digits, random)
    case 'time':
      return nearTime(text, form.digits, random)
    case 'interval':
      return nearInterval(text, random)
    case 'uuid':
      return withOther(text, pick([0, text.length - 1], random) ?? 0, '0123456789abcdef', random)
    case 'inet':
      return nearAddress(text, random)
    case 'bytes':
      return nearBytes(text, form.written, random)
    case 'label':
      return pick(
        form.labels.filter((label) => label !== text),
        random,
      )
    case 'json':
      return nearJson(text, random)
    case 'array':
      return nearArray(text, form, random, nearText)
    case 'row':
      return nearRow(text, form.fields, random, nearText)
    case 'map':
      return nearMap(text, form.of, random, nearText)
    case 'range':
      return nearRange(text, random)
    case 'held':
      return undefined
  }
}

/** A double is seldom whole by declaration. */
function nearDouble(value: number, random: Random): string {
  if (!Number.isFinite(value)) return '0'
  const near = random.chance(0.5)
    ? perturbNumber(value, random)
    : value + (pick([0.5, -0.5, 0.25, -0.01], random) ?? 0.5)
  return String(Number(near.toPrecision(15)))
}

function nearDecimal(text: string, scale: number, random: Random): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/u.exec(text)
  if (parts === null) return undefined
  const [, sign = '', whole = '0', fraction = ''] = parts
  const unit = 10n ** BigInt(scale)
  const value = BigInt(whole + fraction.padEnd(scale, '0').slice(0, scale)) * (sign === '' ? 1n : -1n)
  const near = random.chance(0.4)
    ? value + (random.chance(0.5) ? 1n : -1n)
    : perturbInteger(value / unit, random) * unit
  const digits = String(near < 0n ? -near : near).padStart(scale + 1, '0')
  const written = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return `${near < 0n ? '-' : ''}${written}`
}

/** Texts that a collation may call equal: in another case, with another accent. */
function nearLetters(text: string, random: Random): string {
  const other = text.replace(/[aeiou]/iu, (letter) => `${letter}\u0301`.normalize('NFC'))
  const swapped = text.replace(/\p{L}/u, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  return pick([text.toUpperCase(), text.toLowerCase(), swapped, other], random) ?? text
}

function nearMoment(text: string, digits: number, random: Random): string | undefined {
  const [base = '', fraction] = text.split('.')
  const period = parsePeriod(base)
  if (period === undefined) return undefined
  if (digits > 0 && base.length > 10 && random.chance(0.25)) {
    const step = `${'0'.repeat(digits - 1)}1`
    return `${base}.${pick([step, '9'.repeat(digits), '5'], random) ?? step}`
  }
  const near = formatMoment(perturbMoment(period.from, random), period.format)
  return fraction === undefined || random.chance(0.5) ? near : `${near}.${fraction}`
}

const second = 1_000_000n

function nearTime(text: string, digits: number, random: Random): string | undefined {
  const parts = /^(-?)(\d{2,3}):(\d\d):(\d\d)(?:\.(\d+))?$/u.exec(text)
  if (parts === null) return undefined
  const [, sign = '', hours = '', minutes = '', seconds = '', fraction = ''] = parts
  const at =
    ((BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds)) * second +
    BigInt(fraction.padEnd(6, '0').slice(0, 6))
  const step = digits === 0 ? second : 10n ** BigInt(6 - Math.min(6, digits))
  const most = 24n * 3600n * second - step
  const near =
    pick(
      [at + second, at - second, at + step, at - step, at + 30n * second, at + 60n * second, 0n, most],
      random,
    ) ?? at
  return near < 0n || (near > most && at <= most) ? undefined : `${sign}${clockText(near)}`
}

function clockText(micros: bigint): string {
  const two = (value: bigint): string => String(value).padStart(2, '0')
  const whole = micros / second
  const fraction = String(micros % second)
    .padStart(6, '0')
    .replace(/0+$/u, '')
  return `${two(whole / 3600n)}:${two((whole / 60n) % 60n)}:${two(whole % 60n)}${fraction === '' ? '' : `.${fraction}`}`
}

function nearInterval(text: string, random: Random): string | undefined {
  const count = (unit: string): bigint =>
    BigInt(new RegExp(`([-+]?\\d+) ${unit}s?\\b`, 'u').exec(text)?.[1] ?? 0)
  const months = count('year') * 12n + count('mon')
  const days = count('day')
  const clock = /([-+]?)(\d+:\d\d:\d\d(?:\.\d+)?)$/u.exec(text)
  const time = clock?.[2] ?? '00:00:00'
  const sign = clock?.[1] === '-' ? '-' : ''
  const written = (m: bigint, d: bigint, t: string): string => `${m} mons ${d} days ${t}`
  const later = nearTime(time.padStart(8, '0'), 6, random) ?? '00:00:01'
  return pick(
    [
      written(months, days + 1n, `${sign}${time}`),
      written(months, days - 1n, `${sign}${time}`),
      written(months, days, `${sign}${later}`),
      written(months, days, `${sign}${later}`),
      written(months + 1n, days, `${sign}${time}`),
      written(0n, 0n, `${sign}${time}`),
      // A day is 24 hours where intervals are compared, and not where they are shown.
      days === 0n
        ? written(months, 1n, '00:00:00')
        : written(months, 0n, `${days < 0n ? '-' : ''}${(days < 0n ? -days : days) * 24n}:00:00`),
    ],
    random,
  )
}

function withOther(text: string, at: number, letters: string, random: Random): string {
  const other = letters[random.below(letters.length)] ?? '0'
  return text.slice(0, at) + other + text.slice(at + 1)
}

function nearAddress(text: string, random: Random): string | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(\/\d+)?$/u.exec(text)
  if (parts === null) return undefined
  const octets = parts.slice(1, 5).map(Number)
  const at = random.below(4)
  const next = ((octets[at] ?? 0) + (pick([1, 255, 10], random) ?? 1)) % 256
  return `${octets.map((octet, place) => (place === at ? next : octet)).join('.')}${parts[5] ?? ''}`
}

function nearBytes(
  text: string,
  written: Extract<ValueForm, { kind: 'bytes' }>['written'],
  random: Random,
): string {
  const prefix = written === 'hex with \\x' ? '\\x' : ''
  const bytes = Buffer.from(text.slice(prefix.length), written === 'base64' ? 'base64' : 'hex')
  const changed = Buffer.from(bytes)
  if (changed.length > 0) {
    const at = pick([0, changed.length - 1], random) ?? 0
    changed[at] = ((changed[at] ?? 0) + 1) % 256
  }
  // 0xff is in no text of UTF-8.
  const near =
    pick(
      [changed, Buffer.concat([bytes, Buffer.from([0xff])]), bytes.subarray(0, -1), Buffer.from([0xff])],
      random,
    ) ?? changed
  return prefix + near.toString(written === 'base64' ? 'base64' : 'hex')
}

/** With another bound included. */
function nearRange(text: string, random: Random): string | undefined {
  if (!/^[[(].*,.*[\])]$/su.test(text)) return undefined
  const [first = '', last = ''] = [text[0], text.at(-1)]
  const inner = text.slice(1, -1)
  return pick(
    [`${first === '[' ? '(' : '['}${inner}${last}`, `${first}${inner}${last === ']' ? ')' : ']'}`, 'empty'],
    random,
  )
}
