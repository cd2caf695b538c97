import type { ComparedLiteral } from '../../sql/index.js'
import { quoteText } from '../query/quote-names.js'
import { addYears, formatMoment, type Period, parsePeriod } from './date-text.js'
import { neighboursOf } from './forms/near-text.js'
import { acceptsText, decimalsOf, type ValueForm } from './forms/value-form.js'
import type { DeclaredColumn } from './fuzz-table.js'
import { randomFrom } from './seeded-random.js'
import { fitsHabit, inferHabit } from './value-domain.js'

/** Maximal number of values written for one column besides those in the queries. */
const mostAround = 12
/** Maximal number of values with a prefix, made from the column's own values. */
const mostWithPrefix = 2

/** A value, and the text that the column would store for it; undefined if it cannot store it. */
export interface StoredValue {
  readonly value: ComparedLiteral
  readonly stored: string | undefined
}

export interface CandidateLiterals {
  readonly named: readonly string[]
  readonly around: readonly string[]
}

/**
 * Returns literals of the values that a column could plausibly contain, judged by its texts; in separate
 * lists, the values next to bounds, those of which a query compares a part, and the `other` value that no
 * query names.
 */
export function candidateLiterals(
  values: readonly StoredValue[],
  held: readonly string[],
  { other, declared, ignoresHabits }: CandidateOptions = {},
): CandidateLiterals {
  const habit = declared === undefined ? inferHabit(held) : declared.habit
  const couldHold = fitsHabit(ignoresHabits === true ? undefined : habit)
  const own = values.filter(
    ({ value, stored }) =>
      stored !== undefined &&
      // A value that a query compares for equality may be in the column tomorrow.
      (value.role === undefined ||
        value.role === 'member' ||
        (value.role === 'bound' && couldHold(stored))) &&
      matchesForm(declared?.form, stored, value.kind, held),
  )
  const others = values.flatMap((value) => {
    const around = [
      ...neighbouringValues(
        value,
        held,
        own.flatMap(({ stored = [] }) => stored),
        declared?.form,
      ),
      ...(declared === undefined ? [] : neighboursInForm(value, declared.form)),
    ]
    return value.value.role === 'negative' ? around : around.filter(couldHold)
  })
  const named = new Set(own.map(({ value }) => literalOf(value)))
  const beyond = other === undefined || !couldHold(other) ? [] : [other]
  const around = new Set([...beyond, ...others].map(literalOfText).filter((literal) => !named.has(literal)))
  return { named: [...named], around: [...around].slice(0, mostAround) }
}

export interface CandidateOptions {
  /** A value that no query names. */
  readonly other?: string | undefined
  readonly declared?: DeclaredColumn | undefined
  /** Writes also what the column could hold by its type alone. */
  readonly ignoresHabits?: boolean | undefined
}

/** Forms whose texts say what they are; of others, the values at hand show how they are written. */
function matchesForm(
  form: ValueForm | undefined,
  stored: string,
  kind: ComparedLiteral['kind'],
  held: readonly string[],
): boolean {
  if (form === undefined || form.kind === 'text' || form.kind === 'held' || form.kind === 'json')
    return matchesColumnFormat(stored, kind, held)
  return acceptsText(form, stored) === true
}

/** Forms that have neighbours of their own, whether or not a value is a bound. */
const ownNeighbours: ReadonlySet<ValueForm['kind']> = new Set([
  ...(['time', 'interval', 'uuid', 'inet', 'bytes', 'label', 'array', 'row', 'map', 'range'] as const),
])
const mostNeighbours = 5

/** Returns values near one that a query names, as the declared type of the column has them. */
function neighboursInForm({ value, stored }: StoredValue, form: ValueForm): readonly string[] {
  const { role, text } = value
  const isWhole = role === undefined || role === 'bound'
  if (stored === undefined || !isWhole) return []
  if (form.kind === 'text') return form.ignoresCase === true && text !== '' ? lettersLike(text) : []
  const hasFraction = form.kind === 'timestamp' && form.digits > 0 && role === 'bound'
  if (!ownNeighbours.has(form.kind) && !hasFraction) return []
  return neighboursOf(form, stored, randomFrom(stored), mostNeighbours)
}

/** Texts that a collation which ignores case takes for the same. */
function lettersLike(text: string): readonly string[] {
  const accented = text.replace(/[aeiou]/iu, (letter) => `${letter}\u0301`.normalize('NFC'))
  return [text.toUpperCase(), text.toLowerCase(), accented].filter((each) => each !== text)
}

/** Returns the value in the form that both engines read. */
export function literalOf({ kind, text }: Pick<ComparedLiteral, 'kind' | 'text'>): string {
  return kind === 'number' ? text : quoteText(text)
}

function literalOfText(text: string): string {
  return /^(?:0|-?[1-9]\d*)(?:\.\d+)?$/u.test(text) ? text : quoteText(text)
}

/**
 * Reports whether the column could plausibly contain a value: a month, or a timestamp, does not fit among
 * days, nor a fraction among whole numbers. Exported for tests.
 */
export function matchesColumnFormat(
  text: string,
  kind: ComparedLiteral['kind'],
  held: readonly string[],
): boolean {
  if (held.length === 0) return true
  if (held.every((other) => parsePeriod(other) !== undefined) && parsePeriod(text) === undefined) return false
  const form = textShape(text)
  const forms = new Set(held.map(textShape))
  if (kind === 'number' && form === 'fraction') return forms.has('fraction')
  // Leading zeros are those of a code of fixed length.
  if (kind === 'number' && held.some((other) => /^0\d/u.test(other))) return forms.has(form)
  if (kind === 'number') return held.every((other) => /^-?\d/u.test(other))
  return forms.has(form)
}

/** Returns the shape of a text: words, a number with a point, or else the text with each digit as 9. */
function textShape(text: string): string {
  if (/^-?\d+\.\d+(?:e[+-]?\d+)?$/iu.test(text)) return 'fraction'
  return /\p{L}/u.test(text) ? 'words' : text.replaceAll(/\d/gu, '9')
}

function neighbouringValues(
  { value }: StoredValue,
  held: readonly string[],
  named: readonly string[],
  form?: ValueForm,
): readonly string[] {
  if (value.role === 'negative') return negativeNumbers(held)
  const some = [...named, ...held].slice(0, 2)
  if (value.role === 'padded') return some.flatMap((text) => [`${text} `, ` ${text}`])
  if (value.role === 'cased') {
    const asked = value.text === '' ? [] : [value.text]
    return [...asked, ...some].slice(0, 2).flatMap((text) => [text.toUpperCase(), text.toLowerCase()])
  }
  if (value.role === 'pattern') return patternVariants(value.text, held)
  const write = momentFormatter(held)
  const period = queriedPeriod(value.text)
  if (write !== undefined && period !== undefined) {
    const { from, to } = period
    const inside = [from, to - 1].map(write)
    // A value that equals one of the column needs no neighbours.
    if (value.role === undefined && inside[0] === inside[1]) return []
    // A query may compare the month alone, and ignore the year.
    const years = value.role === 'bound' ? [addYears(from, -1), addYears(from, 1)] : []
    return [...inside, ...[to, from - 1, ...years].map(write)]
  }
  if (value.role === 'prefix') return prefixVariants(value.text, held)
  // A number that is not a month, such as 202500, has no neighbouring month.
  if (held.every((text) => parsePeriod(text) !== undefined)) return []
  return value.role === 'bound' && value.kind === 'number' ? adjacentNumbers(value.text, held, form) : []
}

/** Returns the year, month, day or timestamp that a text denotes. */
function queriedPeriod(text: string): Pick<Period, 'from' | 'to'> | undefined {
  const year = /^((?:19|20)\d\d)-?$/u.exec(text)?.[1]
  if (year === undefined) return parsePeriod(text.replace(/[- T]$/u, ''))
  return { from: Date.UTC(Number(year), 0), to: Date.UTC(Number(year) + 1, 0) }
}

/**
 * Returns the column's format of timestamps, if all its values are days, months or timestamps in one form, or
 * seconds since 1970.
 */
function momentFormatter(held: readonly string[]): ((ms: number) => string) | undefined {
  const [first] = held
  if (first === undefined) return undefined
  // 0 often means that there is no timestamp.
  const seconds = held.filter((text) => text !== '0')
  if (seconds.every((text) => /^1\d{9}$/u.test(text))) return (ms) => String(Math.floor(ms / 1000))
  if (seconds.every((text) => /^1\d{12}$/u.test(text))) return String
  const form = parsePeriod(withoutFraction(first))?.format
  if (form === undefined || held.some((text) => parsePeriod(withoutFraction(text))?.format !== form))
    return undefined
  return (ms) => formatMoment(ms, form)
}

function withoutFraction(text: string): string {
  return text.replace(/(:\d\d)\.\d+$/u, '$1')
}

/** Returns numbers on both sides of a bound, one step of the column away and one whole number away. */
function adjacentNumbers(text: string, all: readonly string[], form?: ValueForm): readonly string[] {
  const bound = Number(text)
  const declaredPlaces = form === undefined ? undefined : decimalsOf(form)
  const numbers = all.filter((other) => /^-?\d+(?:\.\d+)?$/u.test(other))
  const held = declaredPlaces === undefined ? all : numbers
  if (!Number.isSafeInteger(Math.trunc(bound)) || held.length > numbers.length) return []
  // A code with leading zeros is not a number.
  if (held.some((other) => /^0\d/u.test(other))) return []
  const places = Math.max(declaredPlaces ?? 0, ...held.map((other) => other.split('.')[1]?.length ?? 0))
  const scale = 10 ** Math.min(places, 4)
  const sides = [...new Set([1, scale])].flatMap((step) => [
    Math.ceil(bound * scale - step),
    Math.floor(bound * scale + step),
  ])
  const mayBeLess = held.some((other) => other.startsWith('-'))
  return sides
    .map((side) => side / scale)
    .filter((side) => side >= 0 || mayBeLess)
    .map((side) => side.toFixed(Math.min(places, 4)))
}

/** Returns negative numbers, one of which outweighs the sum of a group of rows. */
function negativeNumbers(held: readonly string[]): readonly string[] {
  // A flag is not an amount.
  if (held.every((text) => text === '0' || text === '1')) return []
  if (held.some((text) => !/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/u.test(text))) return []
  const most = Math.ceil(Math.max(1, ...held.map(Number)) * 10)
  return Number.isSafeInteger(most) ? ['-1', String(-most)] : ['-1']
}

/** Returns texts that end like the pattern, or contain it in the middle, if the column contains words. */
function patternVariants(pattern: string, held: readonly string[]): readonly string[] {
  if (!held.some((text) => /\p{L}/u.test(text))) return []
  const gap = held.some((text) => text.includes(' ')) ? ' ' : ''
  const inner = pattern.replaceAll('%', '').replaceAll('_', 'x')
  return [`x${gap}${inner}${pattern.endsWith('%') ? `${gap}x` : ''}`]
}

/** Returns values of the column with another, similar prefix. */
function prefixVariants(prefix: string, held: readonly string[]): readonly string[] {
  const mask = maskOf(prefix)
  return held
    .filter((text) => text.length > prefix.length && maskOf(text).startsWith(mask))
    .slice(0, mostWithPrefix)
    .map((text) => prefix + text.slice(prefix.length))
}

function maskOf(text: string): string {
  return text
    .replaceAll(/\p{Lu}/gu, 'A')
    .replaceAll(/\p{L}/gu, (letter) => (letter === 'A' ? letter : 'a'))
    .replaceAll(/\d/gu, '9')
}
