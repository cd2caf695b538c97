import { matchesColumnFormat } from './candidate-literals.js'
import { checkColumnGroups, checkLiterals } from './check-constraints.js'
import type { Profile } from './copy-profiles.js'
import type { Cell, FuzzTable } from './fuzz-table.js'
import { pick, type Random, shuffled } from './seeded-random.js'
import { fitsHabit, inferHabit } from './value-domain.js'

type Row = readonly Cell[]

/** Tables with fewer rows are extended, so that groups and joins have enough rows to differ. */
const smallTable = 60
/** Maximal number of rows added to large tables. */
const mostAdded = 2000
/** Share of rows that stay unchanged, so that conditions on several columns at once still match some. */
const intactRows = 0.35
/** Of the others, the share that gets a column's change. */
const tiedRows = 0.7
const nullRows = 0.35
const perturbedRows = 0.5
/** Share of added rows with a new value if only some values may occur twice. */
const partialKeyRows = 0.5
/** Of changed cells, the share that gets a string named by a CHECK. */
const namedCells = 0.5
/** Number of rows from which the typical content of a column is inferred. */
const domainSampleRows = 2000
/** How often a nearby value is tried that fits the column. */
const tries = 4

/**
 * The desired rows, and alternatives for rows that a CHECK rejects: the best version first, the last an
 * original row.
 */
export interface MutatedRows {
  readonly rows: readonly Row[]
  /** Each as long as `rows`; none if the table has no CHECK. */
  readonly versions: readonly (readonly Row[])[]
}

/**
 * Returns the rows of a table changed according to the profile. Keys keep their values and NULL is added
 * where allowed; references are assigned later, then CHECK constraints are applied, and rows that break
 * another constraint are dropped at the end.
 */
export function mutateRows(table: FuzzTable, profile: Profile, random: Random): MutatedRows {
  const { free, checked } = columnGroups(table)
  const units = [...free, ...checked]
  const kept = sampleRows(table.rows, profile, random)
  const added = addedRows(table, kept, units, profile, random)
  // Copied once and then changed in place: a copy of each row for each column would take most of the time.
  const rows = [...kept.map((row) => [...row]), ...added.map(({ row }) => row)]
  const open = [...rows.keys()].filter(() => !random.chance(intactRows))
  const ours = open.map((at) => rows[at] ?? [])
  const move = (columns: ColumnGroup): void => {
    if (random.chance(profile.shuffle)) permute(ours, columns, random)
    if (random.chance(profile.ties)) createTies(ours, columns, random)
  }
  const alter = (unit: ColumnGroup): void => {
    if (random.chance(profile.perturbed)) perturbColumns(ours, unit, table, random)
    if (random.chance(profile.nulls)) setNulls(ours, unit, table, random)
  }
  for (const unit of free) {
    move(unit)
    alter(unit)
  }
  for (const unit of checked) move(unit)
  // Values that moved together satisfy the CHECKs; values changed by the next steps may not.
  const moved = table.checks.length === 0 ? [] : rows.map((row) => [...row])
  for (const unit of checked) {
    if (unit.length > 1) for (const column of unit) move([column])
    alter(unit)
  }
  if (profile.duplicates > 0) duplicateRows(open, [rows, moved], units, profile, random)
  if (random.chance(profile.nulls)) setNulls(ours, nullableKeyColumns(table), table, random)
  return {
    rows,
    versions: table.checks.length === 0 ? [] : [moved, [...kept, ...added.map(({ from }) => from)]],
  }
}

/** Columns that change together: one, or all that one CHECK uses. */
type ColumnGroup = readonly number[]

/**
 * Returns the columns that may change without breaking a key or a reference, and those of them that have
 * CHECK constraints.
 */
function columnGroups(table: FuzzTable): {
  readonly free: readonly ColumnGroup[]
  readonly checked: readonly ColumnGroup[]
} {
  const bound = new Set([...table.keys.flat(), ...table.references.flatMap(({ columns }) => columns)])
  const parts = checkColumnGroups(table)
  const taken = new Set([...bound, ...parts.flat()])
  return {
    free: [...table.columns.keys()].filter((column) => !taken.has(column)).map((column) => [column]),
    checked: parts
      .map((part) => part.filter((column) => !bound.has(column)))
      .filter((part) => part.length > 0),
  }
}

/** Returns the columns of references. */
function referencingColumns(table: FuzzTable): ReadonlySet<number> {
  return new Set(table.references.flatMap(({ columns }) => columns))
}

/** Returns columns of unique constraints that refer to nothing: several rows may be NULL there. */
function nullableKeyColumns(table: FuzzTable): number[] {
  const bound = referencingColumns(table)
  return table.keys.flat().filter((column) => !bound.has(column))
}

function sampleRows(rows: readonly Row[], profile: Profile, random: Random): readonly Row[] {
  if (profile.keep === 1) return rows
  const kept = rows.filter(() => random.chance(profile.keep))
  return kept.length >= Math.min(3, rows.length) ? kept : rows
}

/** Returns copies of rows; if the table has a single-column key, with a value in it that no row has. */
function addedRows(
  table: FuzzTable,
  rows: readonly Row[],
  units: readonly ColumnGroup[],
  profile: Profile,
  random: Random,
): { readonly row: Cell[]; readonly from: Row }[] {
  if (rows.length === 0 || profile.added === 0) return []
  const loose = partialKeyColumns(table)
  const share = Math.max(1, Math.min(mostAdded, Math.floor(rows.length * profile.added)))
  const wanted = Math.max(share, Math.min(smallTable - rows.length, rows.length * 4))
  const makers = [...singleColumnKeys(table), ...loose].map((column) => {
    const make = table.columns[column]?.fresh(rows.map((row) => row[column] ?? null))
    return { column, make, share: loose.includes(column) ? partialKeyRows : 1 }
  })
  const parts = compositeKeyColumns(table).map((column) => ({
    column,
    near: columnPerturber(table, column, random),
  }))
  // Rows are taken in turn, from all over the table.
  const sources = shuffled(rows, random)
  const added: { readonly row: Cell[]; readonly from: Row }[] = []
  for (let count = 1; count <= wanted; count++) {
    const source = sources[count % sources.length] ?? []
    const row = [...source]
    // Half of them are duplicates except for their key, the others new combinations.
    if (random.chance(0.5)) {
      for (const unit of units) {
        const from = pick(rows, random)
        for (const column of unit) row[column] = from?.[column] ?? null
      }
    }
    for (const { column, near } of parts) {
      const cell = pick(rows, random)?.[column] ?? null
      row[column] = random.chance(profile.perturbed * perturbedRows) ? near(cell) : cell
    }
    for (const { column, make, share: part } of makers)
      if (make !== undefined && (part === 1 || random.chance(part))) row[column] = make(count)
    added.push({ row, from: source })
  }
  return added
}

/** Returns single-column keys that refer to nothing. */
function singleColumnKeys(table: FuzzTable): number[] {
  const bound = referencingColumns(table)
  return table.keys.flatMap((key) => (key.length === 1 ? key.filter((column) => !bound.has(column)) : []))
}

/** Returns columns with values that may occur only once, and that are part of no key or reference. */
function partialKeyColumns(table: FuzzTable): readonly number[] {
  const bound = new Set([...table.keys.flat(), ...referencingColumns(table)])
  return (table.partialKeys ?? []).filter((column) => !bound.has(column))
}

/** Returns columns of multi-column keys that refer to nothing. */
function compositeKeyColumns(table: FuzzTable): number[] {
  const bound = referencingColumns(table)
  return table.keys.flatMap((key) => (key.length > 1 ? key.filter((column) => !bound.has(column)) : []))
}

/** Permutes values among rows. */
function permute(rows: readonly Cell[][], columns: ColumnGroup, random: Random): void {
  const sources = shuffled(rows, random).map((row) => columns.map((column) => row[column] ?? null))
  for (const [index, row] of rows.entries()) assign(row, columns, sources[index] ?? [])
}

/**
 * Gives many rows one of a few values; the least and the greatest are among them, so that first and last rows
 * tie.
 */
function createTies(rows: readonly Cell[][], columns: ColumnGroup, random: Random): void {
  const few = [...extremes(rows, columns[0] ?? 0), pick(rows, random), pick(rows, random)].map((row) =>
    columns.map((column) => row?.[column] ?? null),
  )
  for (const row of rows) if (random.chance(tiedRows)) assign(row, columns, pick(few, random) ?? [])
}

/**
 * Returns the rows with the least and the greatest value: numbers by size, anything else by its text, in
 * which days are ordered, too.
 */
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

function perturbColumns(
  rows: readonly Cell[][],
  columns: readonly number[],
  table: FuzzTable,
  random: Random,
): void {
  for (const column of columns) {
    const near = columnPerturber(table, column, random)
    for (const row of rows) if (random.chance(perturbedRows)) row[column] = near(row[column] ?? null)
  }
}

/**
 * Returns a function that replaces values of a column by near ones that fit the column; unchanged if none is
 * found.
 */
function columnPerturber(table: FuzzTable, column: number, random: Random): (cell: Cell) => Cell {
  const step = Math.ceil(table.rows.length / domainSampleRows)
  const some = table.rows.filter((_, at) => at % step === 0)
  const held = some.flatMap((row) => textOf(row[column] ?? null) ?? [])
  const { declared } = table.columns[column] ?? {}
  const couldHold = fitsHabit(declared === undefined ? inferHabit(held) : declared.habit)
  // A string named by a CHECK is one that the column is meant to contain, whatever it contains now.
  const named = checkLiterals(table.checks, column).filter((text) => matchesColumnFormat(text, 'text', held))
  return (cell) => {
    if (typeof cell === 'string' && named.length > 0 && random.chance(namedCells))
      return pick(named, random) ?? cell
    for (let attempt = 0; attempt < tries && cell !== null; attempt++) {
      const near = table.columns[column]?.near(cell, random)
      if (near === undefined) return cell
      const text = textOf(near)
      if (text === undefined || couldHold(text)) return near
    }
    return cell
  }
}

/** Returns a cell as a query would show it; undefined for NULL and bytes. */
function textOf(cell: Cell): string | undefined {
  return cell === null || cell instanceof Uint8Array ? undefined : String(cell)
}

function setNulls(
  rows: readonly Cell[][],
  columns: readonly number[],
  table: FuzzTable,
  random: Random,
): void {
  const nullable = columns.filter((column) => table.columns[column]?.nullable === true)
  if (nullable.length === 0) return
  for (const row of rows) if (random.chance(nullRows)) for (const column of nullable) row[column] = null
}

/**
 * Makes some of the rows at these places duplicates of another, except for keys and references, in each
 * version.
 */
function duplicateRows(
  places: readonly number[],
  versions: readonly (readonly Cell[][])[],
  units: readonly ColumnGroup[],
  profile: Profile,
  random: Random,
): void {
  const columns = units.flat()
  for (const at of places) {
    const other = random.chance(profile.duplicates) ? pick(places, random) : undefined
    if (other === undefined) continue
    for (const rows of versions) {
      const row = rows[at]
      if (row !== undefined) for (const column of columns) row[column] = rows[other]?.[column] ?? null
    }
  }
}
