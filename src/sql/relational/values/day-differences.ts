import type { Dialect } from '../../../enums/dialect.js'
import { daysBetween, unitOf } from '../../functions/function-table.js'
import type { Expression } from '../../shape/query-shape.js'
import type { Facts } from '../table-facts.js'
import { addsDaysToDates, isDay } from './date-arithmetic.js'
import { holdsDays, isOfDays } from './temporal-kinds.js'

/** Dialects in which spans of whole days are counted between the moments, not between their dates. */
const spans: ReadonlySet<Dialect> = new Set(['trino', 'presto', 'duckdb'])

/** `a - b` of two dates as the days between them, and so the whole spans of a day between their midnights. */
export function normalizeDayDifference(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply') return expression
  if (expression.op === '-' && addsDaysToDates.has(facts.dialect)) {
    const [late, early, ...others] = expression.args
    return others.length === 0 ? betweenDays(late, early, expression, facts) : expression
  }
  if (expression.op !== 'whole_units' || !spans.has(facts.dialect)) return expression
  const [unit, early, late] = expression.args
  return unitOf(unit) === 'day' ? betweenDays(late, early, expression, facts) : expression
}

function betweenDays(
  late: Expression | undefined,
  early: Expression | undefined,
  written: Expression,
  facts: Facts,
): Expression {
  if (late === undefined || early === undefined) return written
  const isSure = (value: Expression): boolean =>
    value.kind === 'literal' ? isDay(value) : isOfDays(value, facts)
  const [known, other] = isSure(late) ? [late, early] : [early, late]
  // Where neither is known for a date, both may be numbers.
  if (!isSure(known) || !(isSure(other) || (other.kind !== 'literal' && holdsDays(other, facts))))
    return written
  return daysBetween(late, early) ?? written
}
