import { habitOf } from './habit.js'
import type { Profile } from './profiles.js'
import { pick, type Random, shuffled } from './random.js'
import type { Cell, FuzzTable } from './table.js'

type Row = readonly Cell[]

/** Tables with fewer rows than this grow, so that groups and joins have something to tell apart. */
const smallTable = 60
/** Large tables grow by no more rows than this. */
const mostAdded = 2000
/** Rows that stay as they were, so that conditions on several columns at once still find some. */
const intactRows = 0.35
/** Of the others, the share that gets a column's change. */
const tiedRows = 0.7
const nullRows = 0.35
const nearRows = 0.5
/** Rows that tell what a column holds by habit. */
const habitRows = 2000
/** How often a near value is looked for that could stand in the column. */
const tries = 4

/**
 * The rows of a table changed as the profile says. Keys keep their values, NULL appears where it is allowed, checked
 * columns move together; references are drawn later, and what breaks a constraint is dropped at the end.
 */
export function mutate(table: FuzzTable, profile: Profile, random: Random): readonly Row[] {
  const units = freeUnits(table)
  const kept = keepSome(table.rows, profile, random)
  // Ours from here on, and changed in place: a copy of each row for each column would take most of the time.
  const rows = [...kept.map((row) => [...row]), ...addedRows(table, kept, units, profile, random)]
  const open = rows.filter(() => !random.chance(intactRows))
  for (const unit of units) {
    if (random.chance(profile.shuffle)) permute(open, unit, random)
    if (random.chance(profile.ties)) tie(open, unit, random)
    if (unit.checked) continue
    if (random.chance(profile.near)) bringNear(open, unit.columns, table, random)
    if (random.chance(profile.nulls)) clear(open, unit.columns, table, random)
  }
  if (profile.twins > 0) makeTwins(open, units, profile, random)
  if (random.chance(profile.nulls)) clear(open, emptyKeys(table), table, random)
  return rows
}

/** Columns that change together: one, or all that CHECK constraints speak of. */
interface Unit {
  readonly columns: readonly number[]
  readonly checked: boolean
}

/** What may change without breaking a key or a reference. */
function freeUnits(table: FuzzTable): readonly Unit[] {
  const bound = new Set([...table.keys.flat(), ...table.references.flatMap(({ columns }) => columns)])
  const checked = table.checked.filter((column) => !bound.has(column))
  const taken = new Set([...bound, ...table.checked])
  const single = [...table.columns.keys()].filter((column) => !taken.has(column))
  // Where a checked column is bound, the others of the constraint stay with it.
  const together = checked.length > 0 && checked.length === table.checked.length
  return [
    ...single.map((column) => ({ columns: [column], checked: false })),
    ...(together ? [{ columns: checked, checked: true }] : []),
  ]
}

/** Columns of unique constraints that refer to nothing and are not checked: several rows may be NULL there. */
function emptyKeys(table: FuzzTable): number[] {
  const bound = new Set([...table.references.flatMap(({ columns }) => columns), ...table.checked])
  return table.keys.flat().filter((column) => !bound.has(column))
}

function keepSome(rows: readonly Row[], profile: Profile, random: Random): readonly Row[] {
  if (profile.keep === 1) return rows
  const kept = rows.filter(() => random.chance(profile.keep))
  return kept.length >= Math.min(3, rows.length) ? kept : rows
}

/** Copies of rows; where the table has a key of one column, with a value there that no row has. */
function addedRows(
  table: FuzzTable,
  rows: readonly Row[],
  units: readonly Unit[],
  profile: Profile,
  random: Random,
): Cell[][] {
  if (rows.length === 0 || profile.added === 0) return []
  const share = Math.max(1, Math.min(mostAdded, Math.floor(rows.length * profile.added)))
  const wanted = Math.max(share, Math.min(smallTable - rows.length, rows.length * 4))
  const makers = freshColumns(table).map((column) => {
    const make = table.columns[column]?.fresh(rows.map((row) => row[column] ?? null))
    return { column, make }
  })
  const parts = compositeColumns(table).map((column) => ({ column, near: nearIn(table, column, random) }))
  // Each row in turn, from all over the table.
  const sources = shuffled(rows, random)
  const added: Cell[][] = []
  for (let count = 1; count <= wanted; count++) {
    const row = [...(sources[count % sources.length] ?? [])]
    // Half of them are duplicates but for their key, the others new mixtures.
    if (random.chance(0.5)) {
      for (const unit of units) {
        const from = pick(rows, random)
        for (const column of unit.columns) row[column] = from?.[column] ?? null
      }
    }
    for (const { column, near } of parts) {
      const cell = pick(rows, random)?.[column] ?? null
      row[column] = random.chance(profile.near * nearRows) ? near(cell) : cell
    }
    for (const { column, make } of makers) if (make !== undefined) row[column] = make(count)
    added.push(row)
  }
  return added
}

/** Keys of one column that refers to nothing and is not checked. */
function freshColumns(table: FuzzTable): number[] {
  const bound = new Set([...table.references.flatMap(({ columns }) => columns), ...table.checked])
  return table.keys.flatMap((key) => (key.length === 1 ? key.filter((column) => !bound.has(column)) : []))
}

/** Parts of keys of several columns that refer to nothing and are not checked. */
function compositeColumns(table: FuzzTable): number[] {
  const bound = new Set([...table.references.flatMap(({ columns }) => columns), ...table.checked])
  return table.keys.flatMap((key) => (key.length > 1 ? key.filter((column) => !bound.has(column)) : []))
}

/** Values change places. */
function permute(rows: readonly Cell[][], { columns }: Unit, random: Random): void {
  const sources = shuffled(rows, random).map((row) => columns.map((column) => row[column] ?? null))
  for (const [index, row] of rows.entries()) assign(row, columns, sources[index] ?? [])
}

/** Many rows get one of a few values; the least and the greatest are among them, where first and last rows tie. */
function tie(rows: readonly Cell[][], { columns }: Unit, random: Random): void {
  const few = [...extremes(rows, columns[0] ?? 0), pick(rows, random), pick(rows, random)].map((row) =>
    columns.map((column) => row?.[column] ?? null),
  )
  for (const row of rows) if (random.chance(tiedRows)) assign(row, columns, pick(few, random) ?? [])
}

/** The rows with the least and the greatest value: numbers by size, anything else by its text, as days are in order too. */
function extremes(rows: readonly Cell[][], column: number): (Cell[] | undefined)[] {
  let least: { readonly row: Cell[]; readonly rank: number | bigint | string } | undefined
  let greatest = least
  for (const row of rows) {
    const cell = row[column] ?? null
    if (cell === null) continue
    const rank = typeof cell === 'number' || typeof cell === 'bigint' ? cell : String(cell)
    if (least === undefined || rank < least.rank) least = { row, rank }
    if (greatest === undefined || rank > greatest.rank) greatest = { row, rank }
  }
  return [least?.row, greatest?.row]
}

function assign(row: Cell[], columns: readonly number[], values: Row): void {
  for (const [index, column] of columns.entries()) row[column] = values[index] ?? null
}

function bringNear(
  rows: readonly Cell[][],
  columns: readonly number[],
  table: FuzzTable,
  random: Random,
): void {
  for (const column of columns) {
    const near = nearIn(table, column, random)
    for (const row of rows) if (random.chance(nearRows)) row[column] = near(row[column] ?? null)
  }
}

/** Gives values of a column others that are close to them and that it could hold as well; the same where none is found. */
function nearIn(table: FuzzTable, column: number, random: Random): (cell: Cell) => Cell {
  const step = Math.ceil(table.rows.length / habitRows)
  const some = table.rows.filter((_, at) => at % step === 0)
  const couldHold = habitOf(some.flatMap((row) => textOf(row[column] ?? null) ?? []))
  return (cell) => {
    for (let attempt = 0; attempt < tries && cell !== null; attempt++) {
      const near = table.columns[column]?.near(cell, random)
      if (near === undefined) return cell
      const text = textOf(near)
      if (text === undefined || couldHold(text)) return near
    }
    return cell
  }
}

/** As a query would show it; undefined for NULL and bytes. */
function textOf(cell: Cell): string | undefined {
  return cell === null || cell instanceof Uint8Array ? undefined : String(cell)
}

function clear(rows: readonly Cell[][], columns: readonly number[], table: FuzzTable, random: Random): void {
  const nullable = columns.filter((column) => table.columns[column]?.nullable === true)
  if (nullable.length === 0) return
  for (const row of rows) if (random.chance(nullRows)) for (const column of nullable) row[column] = null
}

/** Some rows take over all but the keys and references of another. */
function makeTwins(rows: readonly Cell[][], units: readonly Unit[], profile: Profile, random: Random): void {
  const columns = units.flatMap((unit) => unit.columns)
  for (const row of rows) {
    const other = random.chance(profile.twins) ? pick(rows, random) : undefined
    if (other === undefined) continue
    for (const column of columns) row[column] = other[column] ?? null
  }
}
