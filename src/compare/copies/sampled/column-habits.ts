import type { CatalogueColumn, CatalogueTable, Engine, QueryLimits } from '../../../engine/contract/engine.js'
import type { Habit } from '../../../engine/contract/habit.js'
import type { ValueForm } from '../../../engine/fuzz/forms/value-form.js'
import { flagPairOf, inferHabit } from '../../../engine/fuzz/value-domain.js'
import type { Dialect } from '../../../enums/dialect.js'
import type { ColumnType } from './column-types.js'
import { quoteNameIn, quoteTextIn } from './quote-in-dialect.js'

/** A habit of a column, and whether all rows of its table are known to have it. */
export interface ColumnHabit {
  readonly habit: Habit
  readonly isOfAllRows: boolean
}

export interface HabitColumn {
  readonly column: CatalogueColumn
  readonly type: ColumnType
  /** Texts of the sample; null: NULL. */
  readonly cells: readonly (string | null)[]
}

/**
 * Returns the habits of a table's columns, by name: what all their values have in common. A sample suggests them, and one scan
 * of the table confirms or denies them all, unless the sample is the whole table.
 */
export async function columnHabits(
  engine: Pick<Engine, 'dialect' | 'query'>,
  table: CatalogueTable,
  columns: readonly HabitColumn[],
  isWhole: boolean,
  limits: QueryLimits,
): Promise<ReadonlyMap<string, ColumnHabit>> {
  const suggested = columns.flatMap(({ column, type, cells }) => {
    const habit = suggestHabit(cells, type.form, isWhole)
    if (habit === undefined) return []
    const name = quoteNameIn(column.name, engine.dialect)
    return [{ name: column.name, habit, denial: denialOf(habit, name, type, engine.dialect) }]
  })
  if (isWhole) return new Map(suggested.map(({ name, habit }) => [name, { habit, isOfAllRows: true }]))
  const asked = suggested.filter(({ denial }) => denial !== undefined)
  if (asked.length === 0) return new Map()
  const counts = asked.map(({ denial }) => `sum(CASE WHEN ${denial} THEN 1 ELSE 0 END)`)
  const outcome = await engine.query(`SELECT ${counts.join(', ')} FROM ${table.name}`, limits)
  // Nothing is known of a table that may not be scanned: what would rest on a habit of it is unproven.
  if (outcome.kind !== 'rows' || outcome.result.rows[0] === undefined)
    return new Map(asked.map(({ name, habit }) => [name, { habit, isOfAllRows: false }]))
  const [row] = outcome.result.rows
  return new Map(
    asked.flatMap(({ name, habit }, at) => {
      const cell = row[at] ?? null
      const count = typeof cell === 'object' && cell !== null ? Number(cell.text) : Number(cell)
      return count === 0 ? [[name, { habit, isOfAllRows: true }] as const] : []
    }),
  )
}

/** Kinds whose values have no habits, or only those that their type implies. */
const withHabits: ReadonlySet<ValueForm['kind']> = new Set([
  'integer',
  'double',
  'decimal',
  'text',
  'date',
  'timestamp',
])

function suggestHabit(
  cells: readonly (string | null)[],
  form: ValueForm,
  isWhole: boolean,
): Habit | undefined {
  if (!withHabits.has(form.kind)) return undefined
  const held = [...new Set(cells.filter((cell) => cell !== null))]
  const [only] = held
  // A sample may miss the other one of a pair.
  if (!isWhole && held.length === 1 && only !== undefined) {
    const pair = flagPairOf(only)
    if (pair !== undefined) return { kind: 'flag', values: pair }
  }
  const habit = inferHabit(held)
  if (form.kind === 'date' && habit?.kind === 'midnight') return undefined
  // Words and codes begin with what they like.
  return form.kind === 'text' && habit?.kind === 'not negative' && !isWhole ? undefined : habit
}

/** Returns SQL that is true for values without the habit; undefined where the dialect's is not known. */
function denialOf(
  habit: Habit,
  name: string,
  { cast, form }: ColumnType,
  dialect: Dialect,
): string | undefined {
  const isMoment = form.kind === 'date' || form.kind === 'timestamp'
  if (habit.kind !== 'flag' && habit.kind !== 'not negative' && !isMoment) return undefined
  const notMidnight = `CAST(${name} AS date) <> ${name}`
  switch (habit.kind) {
    case 'flag':
      return `${name} NOT IN (${habit.values.map((value) => cast(quoteTextIn(value, dialect))).join(', ')})`
    case 'not negative':
      return `${name} < 0`
    case 'midnight':
      return notMidnight
    case 'first of month':
      return `${notMidnight} OR EXTRACT(DAY FROM ${name}) <> 1`
    case 'end of month':
      return `${notMidnight} OR EXTRACT(DAY FROM ${name} + INTERVAL '1' DAY) <> 1`
    case 'weekday': {
      const day = weekdayIn(name, dialect)
      return day === undefined ? undefined : `${notMidnight} OR ${day} <> ${habit.day}`
    }
  }
}

/** Returns SQL of a weekday, from 0 for Sunday. */
function weekdayIn(name: string, dialect: Dialect): string | undefined {
  switch (dialect) {
    case 'postgres':
      return `EXTRACT(DOW FROM ${name})`
    case 'mysql':
    case 'spark':
      return `DAYOFWEEK(${name}) - 1`
    case 'trino':
    case 'presto':
      return `day_of_week(${name}) % 7`
    case 'snowflake':
      return `DAYOFWEEKISO(${name}) % 7`
    default:
      return undefined
  }
}
