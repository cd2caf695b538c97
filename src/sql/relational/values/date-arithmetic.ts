import { UTCDateMini } from '@date-fns/utc/date/mini'
import { addDays } from 'date-fns/addDays'
import { addMonths } from 'date-fns/addMonths'
import type { Expression } from '../../shape/query-shape.js'

/** `DATE '1998-12-01' - INTERVAL '90' DAY` as the day that it is. */
export function foldDates(expression: Expression): Expression {
  if (expression.kind !== 'apply' || (expression.op !== '+' && expression.op !== '-')) return expression
  const [first, second] = expression.args
  const [date, span] = first?.kind === 'literal' ? [first, second] : [second, first]
  if (date?.kind !== 'literal' || !isDay(date) || span?.kind !== 'apply' || span.op !== 'interval')
    return expression
  if (expression.op === '-' && date !== first) return expression
  const [amount, unit] = span.args
  if (amount?.kind !== 'literal' || unit?.kind !== 'literal' || !/^\d{1,5}$/u.test(amount.value))
    return expression
  const count = Number(amount.value) * (expression.op === '-' ? -1 : 1)
  const day = moved(new UTCDateMini(`${date.value}T00:00:00Z`), count, unit.value)
  return day === undefined ? expression : { ...date, value: day.toISOString().slice(0, 10) }
}

/** A day that there is: dialects disagree about `2020-02-30`, where they take it at all. */
function isDay({ type, value }: Expression & { kind: 'literal' }): boolean {
  if (type !== 'date' || !/^\d{4}-\d{2}-\d{2}$/u.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}

function moved(day: Date, count: number, unit: string): Date | undefined {
  switch (unit) {
    case 'day':
      return addDays(day, count)
    case 'week':
      return addDays(day, count * 7)
    case 'month':
      return addMonths(day, count)
    case 'year':
      return addMonths(day, count * 12)
    default:
      return undefined
  }
}
