import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression, field, word } from '../shape/query-shape.js'

/** Translates a call into the common functions; undefined where these arguments mean something else. */
export type FunctionTranslation = (args: readonly Expression[], dialect: Dialect) => Expression | undefined

/** Functions of a dialect by name. */
export type FunctionTable = ReadonlyMap<string, FunctionTranslation>

/** The same function by another name, for this number of arguments. */
export function renameTo(name: string, ...arities: readonly number[]): FunctionTranslation {
  return (args) => (arities.length === 0 || arities.includes(args.length) ? apply(name, ...args) : undefined)
}

const units = new Map(
  ['millisecond', 'second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'].flatMap((unit) => [
    [unit, unit],
    [`${unit}s`, unit],
  ]),
)

/** The unit that a word, text or column names: `DAY`, `'days'`. */
export function unitOf(value: Expression | undefined): string | undefined {
  if (value?.kind === 'literal') return units.get(value.value.toLowerCase().trim())
  if (value?.kind === 'column' && value.source === undefined) return units.get(value.name)
  if (value?.kind !== 'apply' || value.args.length !== 1) {
    return value?.kind === 'apply' && value.op === 'record'
      ? unitOf(labelledPart(value.args, 'unit'))
      : undefined
  }
  return value.op === 'list' || value.op === 'record' || value.op.startsWith('field:')
    ? unitOf(value.args[0])
    : undefined
}

/** Returns the content of a labelled part of a call. */
export function labelledPart(args: readonly Expression[], name: string): Expression | undefined {
  const part = args.find((arg) => arg.kind === 'apply' && arg.op === `field:${name}`)
  return part?.kind === 'apply' ? part.args[0] : undefined
}

/** A span of time: `interval(30, day)`. */
export function interval(amount: Expression, unit: string): Expression {
  return apply('interval', amount, word(unit))
}

export function numberLiteral(value: string): Expression {
  return { kind: 'literal', type: 'number', value }
}

/** Whether the value is this number, written so. */
export function isNumberLiteral(value: Expression | undefined, written: string): boolean {
  return value?.kind === 'literal' && value.type === 'number' && value.value === written
}

/** @param day as `2024-02-29` */
export function dateLiteral(day: string): Expression {
  return { kind: 'literal', type: 'date', value: day }
}

export function textLiteral(value: string): Expression {
  return { kind: 'literal', type: 'text', value }
}

export function textLiteralValue(value: Expression | undefined): string | undefined {
  return value?.kind === 'literal' && value.type === 'text' ? value.value : undefined
}

/** `date_trunc('month', d)`. */
export function dateTrunc(unit: string, value: Expression): Expression {
  return apply('date_trunc', textLiteral(unit), value)
}

/** The day that a moment is of. */
export function castToDay(value: Expression): Expression {
  return apply('cast', value, word('date'))
}

/** Where a text begins within another, from 1; 0 where it does not. */
export function positionOf(
  value: Expression | undefined,
  part: Expression | undefined,
): Expression | undefined {
  return value === undefined || part === undefined
    ? undefined
    : apply('str_position', value, field('substr', part))
}

/** Days from one date to the other. */
export function daysBetween(
  late: Expression | undefined,
  early: Expression | undefined,
): Expression | undefined {
  return late === undefined || early === undefined ? undefined : apply('days_between', late, early)
}

/** As `unitOf`, where the call's place for it cannot hold a column. */
export function unitNamed(value: Expression | undefined): string | undefined {
  return unitOf(value) ?? (value?.kind === 'column' ? units.get(value.name) : undefined)
}

/** Units that are as long as the months that they are made of. */
const ofMonths: ReadonlySet<string> = new Set(['month', 'quarter', 'year'])

/**
 * How many whole units lie between two moments. From 31 January to 28 February there is none; one where a month counts
 * as whole on the last day of a shorter one (`toLastDay`).
 */
export function wholeUnits(
  unit: Expression | undefined,
  early: Expression | undefined,
  late: Expression | undefined,
  toLastDay = false,
): Expression | undefined {
  const written = unitNamed(unit)
  const name = toLastDay && ofMonths.has(written ?? '') ? `${written}, to the last day` : written
  if (name === undefined || early === undefined || late === undefined) return undefined
  return apply('whole_units', word(name), early, late)
}

/**
 * How many times a unit begins between two moments: of days, as many as there are dates from one to the other.
 * @param week what a week is there: by itself it begins on Monday
 */
export function unitBoundaries(
  unit: Expression | undefined,
  early: Expression | undefined,
  late: Expression | undefined,
  week = 'week',
): Expression | undefined {
  const written = unitNamed(unit)
  const name = written === 'week' ? week : written
  if (name === undefined || early === undefined || late === undefined) return undefined
  return name === 'day' ? daysBetween(late, early) : apply('unit_boundaries', word(name), early, late)
}

/** `IF(condition, yes, no)`. */
export function ifToCase([condition, yes, no]: readonly Expression[]): Expression | undefined {
  if (condition === undefined || yes === undefined || no === undefined) return undefined
  return apply('case', apply('when', condition, yes), apply('else', no))
}

/** `||` over all: NULL where one is. */
export function concatAll(args: readonly Expression[]): Expression | undefined {
  const [first, ...rest] = args
  return first === undefined ? undefined : rest.reduce((left, right) => apply('||', left, right), first)
}

/** Texts joined where what is NULL counts as nothing. */
export function concatIgnoringNulls(args: readonly Expression[]): Expression | undefined {
  return concatAll(
    args.map((arg) => (textLiteralValue(arg) === undefined ? apply('coalesce', arg, textLiteral('')) : arg)),
  )
}

/** The value moved by an interval; a negative amount moves it back. */
export function addInterval(value: Expression, amount: string, unit: string): Expression {
  const isBack = amount.startsWith('-')
  return apply(isBack ? '-' : '+', value, interval(numberLiteral(amount.replace(/^[-+]/u, '')), unit))
}

export const today: Expression = apply('current_date')
export const now: Expression = apply('current_timestamp')

/** `age(a, b)`; of one date it is the time since then until today. */
export function ageToCommon([late, early, ...rest]: readonly Expression[]): Expression | undefined {
  if (late === undefined || rest.length > 0) return undefined
  return early === undefined ? apply('age_between', today, late) : apply('age_between', late, early)
}

/** `STRUCT(1 AS a)`: a struct of which each field has a name. */
export function namedStruct(args: readonly Expression[]): Expression | undefined {
  const fields = args.map((arg) => {
    const value = arg.kind === 'apply' && arg.op.startsWith('alias') ? arg.args[0] : undefined
    const name = arg.kind === 'apply' ? labelledPart(arg.args, 'alias') : undefined
    return value !== undefined && name?.kind === 'literal'
      ? apply('named', textLiteral(name.value), value)
      : undefined
  })
  const named = fields.filter((field) => field !== undefined)
  return named.length > 0 && named.length === args.length ? apply('struct', ...named) : undefined
}
