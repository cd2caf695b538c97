import type { Dialect } from '../../dialect.js'
import { apply, type Expression, word } from '../shape/query-shape.js'

/** What a call means in common words; undefined where these arguments mean something else. */
export type Meaning = (args: readonly Expression[], dialect: Dialect) => Expression | undefined

/** Functions of a dialect by name. */
export type FunctionTable = ReadonlyMap<string, Meaning>

/** The same function by another name, for this number of arguments. */
export function named(name: string, ...arities: readonly number[]): Meaning {
  return (args) => (arities.length === 0 || arities.includes(args.length) ? apply(name, ...args) : undefined)
}

const units = new Map(
  ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'].flatMap((unit) => [
    [unit, unit],
    [`${unit}s`, unit],
  ]),
)

/** The unit that a word, text or column names: `DAY`, `'days'`. */
export function unitOf(value: Expression | undefined): string | undefined {
  if (value?.kind === 'literal') return units.get(value.value.toLowerCase().trim())
  if (value?.kind === 'column' && value.source === undefined) return units.get(value.name)
  if (value?.kind !== 'apply' || value.args.length !== 1) {
    return value?.kind === 'apply' && value.op === 'record' ? unitOf(partOf(value.args, 'unit')) : undefined
  }
  return value.op === 'list' || value.op === 'record' || value.op.startsWith('field:')
    ? unitOf(value.args[0])
    : undefined
}

/** What a labelled part of a call holds. */
export function partOf(args: readonly Expression[], name: string): Expression | undefined {
  const part = args.find((arg) => arg.kind === 'apply' && arg.op === `field:${name}`)
  return part?.kind === 'apply' ? part.args[0] : undefined
}

/** A span of time: `interval(30, day)`. */
export function interval(amount: Expression, unit: string): Expression {
  return apply('interval', amount, word(unit))
}

export function number(value: string): Expression {
  return { kind: 'literal', type: 'number', value }
}

export function textOf(value: Expression | undefined): string | undefined {
  return value?.kind === 'literal' && value.type === 'text' ? value.value : undefined
}

/** `date_trunc('month', d)`. */
export function truncated(unit: string, value: Expression): Expression {
  return apply('date_trunc', { kind: 'literal', type: 'text', value: unit }, value)
}

/** The value moved by an interval; a negative amount moves it back. */
export function moved(value: Expression, amount: string, unit: string): Expression {
  const isBack = amount.startsWith('-')
  return apply(isBack ? '-' : '+', value, interval(number(amount.replace(/^[-+]/u, '')), unit))
}

export const today: Expression = apply('current_date')
export const now: Expression = apply('current_timestamp')
