import type { Dialect } from '../../../enums/dialect.js'
import type { ZoneTest } from '../../functions/interval-arithmetic.js'
import type { Expression } from '../../shape/query-shape.js'
import { someExpression } from '../../shape/rewrite-query.js'
import { plainName } from '../../tables/table-schema.js'
import { assumeDays, assumeTimes } from '../assumptions.js'
import { describeValue } from '../nullability.js'
import { declaredType, type Facts } from '../table-facts.js'

/** Dialects that take a date for a text without a cast: compared with one, as a pattern, of its beginning. */
export const textsAsDates: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql'])

type TemporalKind = 'days' | 'moments' | 'times' | 'open'

/** Whether all values are dates, or dates with a time of the day; may assume so. */
export function holdsTimes(value: Expression, facts: Facts): boolean {
  const kind = kindOf(value, facts)
  if (kind !== 'open') return kind !== undefined
  return (
    holdsDays(value, facts) ||
    facts.assumptions.assume('types', `${describeValue(value, facts)} holds dates or times`)
  )
}

/** Whether all values are dates without a time of the day; may assume so. */
export function holdsDays(value: Expression, facts: Facts): boolean {
  const kind = kindOf(value, facts)
  if (kind === 'days' || kind === 'moments' || kind === undefined) return kind === 'days'
  return assumeDays(describeValue(extremeOf(value) ?? value, facts), facts.assumptions)
}

/** Whether SQLite's texts may be treated as moments in the format of its own functions. */
export function holdsWrittenTimes(value: Expression, facts: Facts): boolean {
  const column = extremeOf(value) ?? value
  const isOpen = kindOf(value, facts) === 'open' && declaredType(column, facts) !== 'date'
  return (
    isOpen && assumeTimes(describeValue(column, facts), "times like '2025-01-31 23:59:59'", facts.assumptions)
  )
}

/** Whether all values are known to be dates without a time of the day. */
export function isOfDays(value: Expression, facts: Facts): boolean {
  return kindOf(value, facts) === 'days'
}

/** Whether all values are known to be dates, or moments without a time zone of their own. */
export function isKnownTime(value: Expression, facts: Facts): boolean {
  const kind = kindOf(value, facts)
  return kind === 'days' || kind === 'moments'
}

/** `times`: of one or the other; `open`: nothing is known of the column. */
function kindOf(value: Expression, facts: Facts): TemporalKind | undefined {
  if (value.kind === 'column') return kindOfColumn(value, facts)
  if (value.kind !== 'apply') return undefined
  const [, type] = value.args
  if (value.op === 'current_date') return 'days'
  const extreme = extremeOf(value)
  if (extreme !== undefined) return kindOf(extreme, facts)
  return value.op === 'cast' && type?.kind === 'literal' && facts.dialect !== 'sqlite'
    ? kindOfType(type.value)
    : undefined
}

/** Returns the `x` of `min(x)` or `max(x)`. */
function extremeOf(value: Expression): Expression | undefined {
  const isExtreme = value.kind === 'apply' && (value.op === 'min' || value.op === 'max')
  return isExtreme && value.args.length === 1 ? value.args[0] : undefined
}

function kindOfColumn(
  { source, output, name }: Expression & { kind: 'column' },
  { dialect, tables, names, times }: Facts,
): TemporalKind | undefined {
  const table = source === undefined || output !== undefined ? undefined : names.get(source)
  if (source === undefined || table === undefined || name === '*') return undefined
  const known = tables.get(source)
  if (known === undefined) return times.has(`${table}.${name}`) ? 'times' : 'open'
  const type = known.columns.get(plainName(name))?.type
  if (dialect !== 'sqlite') return type === undefined ? undefined : kindOfType(type)
  return type === undefined || /date|time|text|char/u.test(type) ? 'open' : undefined
}

function kindOfType(type: string): TemporalKind | undefined {
  if (type === 'date') return 'days'
  return /^(?:timestamp|datetime)$/u.test(type) ? 'moments' : undefined
}

/** Dialects in which a moment with a time zone has the year, month and day of its own zone. */
const ownZones: ReadonlySet<Dialect> = new Set(['trino', 'presto', 'snowflake'])

/** Whether the day of a value is that of the session, as of the bounds that it is compared with; may assume so. */
export function isInOneZone(of: Expression, facts: Facts): boolean {
  if (!ownZones.has(facts.dialect)) return true
  const kind = kindOf(of, facts)
  if (kind === undefined && declaredType(of, facts) !== undefined) return false
  const isKnown = kind === 'days' || kind === 'moments'
  return isKnown || facts.assumptions.assume('types', `${describeValue(of, facts)} has no time zone`)
}

/**
 * As `isInOneZone`, of what may be moved or computed too: only columns, and what is moved to another zone, have one; no
 * column that the other query reads where there are no such zones.
 */
export function zoneTest(dialect: Dialect, other: Dialect, factsOf: () => Facts): ZoneTest {
  if (!ownZones.has(dialect) || !ownZones.has(other)) return () => true
  const facts = factsOf()
  const isPlain = (moment: Expression): boolean => {
    if (moment.kind === 'column') return isInOneZone(moment, facts)
    if (moment.kind !== 'apply') return true
    const [date, ...rest] = moment.args
    const isMoved = (moment.op === '+' || moment.op === '-') && date !== undefined && rest.length === 1
    return isMoved ? isPlain(date) : !someExpression(moment, isOfOtherZone)
  }
  return isPlain
}

function isOfOtherZone(part: Expression): boolean {
  return part.kind === 'apply' && /zone/u.test(part.op)
}

/** Dialects that have days before the year 1, after the year 9999, and some that are infinitely far away. */
const anyYears: ReadonlySet<Dialect> = new Set(['postgres', 'redshift', 'duckdb', 'trino', 'presto'])

/**
 * Whether what is compared orders days as they follow one another; may assume so. The text of the year 10000 is
 * before that of 2024, PostgreSQL shows 2024 BC as 2024, and what is infinite has no year in DuckDB.
 *
 * @param shown the call that shows a part of the day: `format_time`, `like`, `year`
 */
export function hasPlainYears(shown: string, op: string, of: Expression, facts: Facts): boolean {
  const { dialect } = facts
  const isEquality = op === '=' || op === '<>'
  const isOdd =
    shown === 'format_time'
      ? !isEquality || dialect === 'postgres' || dialect === 'redshift'
      : shown === 'like' || (shown === 'year' && op !== '=' && dialect === 'duckdb')
  if (!isOdd || !anyYears.has(dialect)) return true
  return facts.assumptions.assume('types', `${describeValue(of, facts)} holds times of the years 1 to 9999`)
}
