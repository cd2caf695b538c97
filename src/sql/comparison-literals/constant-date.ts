import { UTCDateMini } from '@date-fns/utc/date/mini'
import type { Duration } from 'date-fns'
import { add } from 'date-fns/add'
import { startOfDay } from 'date-fns/startOfDay'
import { startOfMonth } from 'date-fns/startOfMonth'
import { startOfYear } from 'date-fns/startOfYear'
import type { Expression } from '../shape/query-shape.js'
import { someExpression } from '../shape/rewrite-query.js'

const units: ReadonlySet<string> = new Set([
  'years',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
])

/** The day or moment that an expression of nothing but literals comes to: `DATE '2025-10-31' - INTERVAL 90 DAY`. */
export function evaluateConstantDate(expression: Expression): string | undefined {
  const date = expression.kind === 'apply' ? dateOf(expression) : undefined
  if (date === undefined) return undefined
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  return time === '00:00:00' ? day : `${day} ${time}`
}

function dateOf(expression: Expression): Date | undefined {
  if (expression.kind === 'literal') return literalDate(expression)
  if (expression.kind !== 'apply') return undefined
  const { op, args } = expression
  const [first, second, ...others] = args
  if (first === undefined) return undefined
  switch (op) {
    case 'cast':
      return dateOf(first)
    case '+':
    case 'date_add':
      return shiftDate(first, second, 1) ?? (second && shiftDate(second, first, 1))
    case '-':
    case 'date_sub':
      return shiftDate(first, second, -1)
    case 'date_trunc':
      return first.kind === 'literal' && second ? truncateDate(dateOf(second), first.value) : undefined
    case 'date':
    case 'datetime':
      return [second, ...others].reduce(applySqliteModifier, dateOf(first))
    default:
      return undefined
  }
}

function literalDate({ type, value }: Extract<Expression, { kind: 'literal' }>): Date | undefined {
  if (type === 'number' || !/^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d)?$/u.test(value)) return undefined
  const date = new UTCDateMini(`${value.slice(0, 10)}T${value.slice(11) || '00:00:00'}Z`)
  // JavaScript would read a day that does not exist as a later one.
  return Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(value.slice(8, 10)) ? undefined : date
}

function shiftDate(from: Expression, by: Expression | undefined, sign: 1 | -1): Date | undefined {
  const date = dateOf(from)
  const span = by && durationOf(by)
  return date && span && add(date, withSign(span, sign))
}

function withSign(span: Duration, sign: 1 | -1): Duration {
  return Object.fromEntries(Object.entries(span).map(([unit, count]) => [unit, sign * Number(count)]))
}

/** `interval('90 days')`, an interval with its unit apart, or a number of days. */
function durationOf(expression: Expression): Duration | undefined {
  if (expression.kind === 'literal' && expression.type === 'number') return spanOf(`${expression.value} days`)
  if (expression.kind !== 'apply' || expression.op !== 'interval') return undefined
  const [count, ...rest] = expression.args
  if (count?.kind !== 'literal') return undefined
  const words: string[] = []
  for (const part of rest) {
    someExpression(part, (inner) => {
      if (inner.kind === 'literal' && unitOf(inner.value) !== undefined) words.push(inner.value)
      return false
    })
  }
  return spanOf([count.value, ...words].join(' '))
}

function spanOf(text: string): Duration | undefined {
  const [, count, word = ''] = /^([+-]?\d+) ?([a-z]+)$/iu.exec(text) ?? []
  const unit = unitOf(word)
  return count === undefined || unit === undefined ? undefined : { [unit]: Number(count) }
}

function unitOf(word: string): string | undefined {
  const plural = `${word.toLowerCase().replace(/s$/u, '')}s`
  return units.has(plural) ? plural : undefined
}

/** As SQLite's modifiers change a moment. */
function applySqliteModifier(date: Date | undefined, modifier: Expression | undefined): Date | undefined {
  if (modifier === undefined) return date
  if (modifier.kind !== 'literal' || date === undefined) return undefined
  const start = /^start of (\w+)$/iu.exec(modifier.value)?.[1]
  if (start !== undefined) return truncateDate(date, start)
  const span = spanOf(modifier.value)
  return span && add(date, span)
}

function truncateDate(date: Date | undefined, unit: string): Date | undefined {
  if (date === undefined) return undefined
  switch (unit.toLowerCase()) {
    case 'day':
      return startOfDay(date)
    case 'month':
      return startOfMonth(date)
    case 'year':
      return startOfYear(date)
    default:
      return undefined
  }
}
