import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression, word } from '../shape/query-shape.js'
import { labelledPart } from './function-table.js'
import { isoWeekday, weekdayFromOne, weekdayFromSunday } from './weekdays.js'

/** Operators that give a whole part of a date or time. */
export const datePartOperators: ReadonlySet<string> = new Set([
  'year',
  'quarter',
  'month',
  'day',
  'hour',
  'minute',
  'isodow',
  'day_of_year',
  'week_of_year',
  'iso_year',
])

/** How EXTRACT(DOW) and EXTRACT(DAYOFWEEK) count the days of the week. */
const weekdays: Partial<Record<Dialect, (date: Expression) => Expression>> = {
  postgres: weekdayFromSunday,
  redshift: weekdayFromSunday,
  duckdb: weekdayFromSunday,
  trino: isoWeekday,
  presto: isoWeekday,
  bigquery: weekdayFromOne,
  spark: weekdayFromOne,
}

/** Dialects whose WEEK is that of ISO 8601, from Monday. */
export const isoWeeks: ReadonlySet<Dialect> = new Set([
  'postgres',
  'redshift',
  'duckdb',
  'trino',
  'presto',
  'spark',
])

/** Dialects whose EPOCH is seconds with their fraction. */
const fractionalEpochs: ReadonlySet<Dialect> = new Set(['postgres', 'duckdb'])

/** `EXTRACT(YEAR FROM d)`, and parts that dialects count differently; of others nothing is said. */
export function extractToCommon(args: readonly Expression[], dialect: Dialect): Expression | undefined {
  const [date] = args
  const part = nameOf(labelledPart(args, 'field'))
  if (date === undefined || part === undefined || args.length !== 2) return undefined
  const span = spanParts.has(part) ? ageInYears(date, part) : undefined
  if (span !== undefined) return span
  switch (part) {
    case 'dayofweek':
    case 'dow':
      return weekdays[dialect]?.(date)
    case 'isodow':
    case 'dayofweekiso':
    case 'dayofweek_iso':
      return isoWeekday(date)
    case 'dayofyear':
    case 'doy':
      return apply('day_of_year', date)
    case 'week':
      return isoWeeks.has(dialect) ? apply('week_of_year', date) : undefined
    case 'isoweek':
      return apply('week_of_year', date)
    case 'epoch':
      return fractionalEpochs.has(dialect) ? apply('epoch', date) : undefined
    case 'date':
      return apply('cast', date, { kind: 'literal', type: 'word', value: 'date' })
    case 'year':
    case 'quarter':
    case 'month':
    case 'day':
    case 'hour':
    case 'minute':
      return apply(part, date)
    default:
      return undefined
  }
}

const spanParts: ReadonlySet<string> = new Set(['year'])

/** The years of an age are those that have passed. */
function ageInYears(date: Expression, part: string): Expression | undefined {
  if (date.kind !== 'apply' || date.op !== 'age_between') return undefined
  const [late, early] = date.args
  return late === undefined || early === undefined ? undefined : apply('whole_units', word(part), early, late)
}

/** The part as a word, however the parser wraps it; in lower case. */
function nameOf(part: Expression | undefined): string | undefined {
  if (part?.kind === 'literal') return part.value.toLowerCase()
  if (part?.kind === 'column') return part.name
  if (part?.kind !== 'apply') return undefined
  return part.op.startsWith('Custom') ? nameOf(part.args[0]) : undefined
}
