import type { CatalogueColumn, CatalogueTable, Engine, QueryLimits } from '../../../engine/contract/engine.js'
import { randomFrom } from '../../../engine/fuzz/seeded-random.js'
import type { Dialect } from '../../../enums/dialect.js'
import { plainName } from '../../../sql/index.js'
import { type ColumnHabit, columnHabits } from './column-habits.js'
import { type ColumnType, columnType } from './column-types.js'
import { quoteNameIn, quoteTextIn } from './quote-in-dialect.js'
import { readRows, type Texts } from './read-rows.js'
import { representativeRows } from './representative-rows.js'

/** A column of a table, as far as a copy holds it. */
export interface SampledColumn {
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
  /** Whether cells are changed as numbers; all others are changed as texts. */
  readonly isNumeric: boolean
  readonly habit?: ColumnHabit | undefined
}

/** Some rows of a table, and what all its rows have in common. */
export interface TableSample {
  readonly rows: readonly Texts[]
  /** By column. */
  readonly habits: ReadonlyMap<string, ColumnHabit>
}

export interface SampledTable {
  /** Plain lower-case name. */
  readonly name: string
  readonly table: CatalogueTable
  /** Without those that are computed, and those of types that no text can be cast to. */
  readonly columns: readonly SampledColumn[]
  /** Texts by column; null: NULL. */
  readonly rows: readonly (readonly (string | null)[])[]
}

/** How much is taken of each table. */
export interface SampleSize {
  readonly rows: number
  /** Of all columns together. */
  readonly cells: number
  /** Rows that others refer to, besides. */
  readonly referred: number
  readonly characters: number
  readonly bytes: number
}

/** Of tables whose rows stand in the queries: services take queries of a million characters. */
export const samplesInQueries: SampleSize = {
  rows: 1000,
  cells: 20_000,
  referred: 500,
  characters: 150_000,
  bytes: 2_000_000,
}

/** Of tables whose copies are written, longer texts do no harm; more rows have fewer ties. */
export const samplesInScratch: SampleSize = { ...samplesInQueries, characters: 3_000_000, bytes: 20_000_000 }

/** Keys asked for in one query. */
const keysAtOnce = 250
const sampleMs = 60_000

/**
 * Reads samples of tables, by the table's name: some rows of each, and the rows that these refer to, so that joins find them.
 * Tables that the server does not let one read are missing. Throws what the engine throws.
 */
export async function sampleTables(
  engine: Pick<Engine, 'dialect' | 'query'>,
  tables: readonly CatalogueTable[],
  memoryBytes: number,
  size: SampleSize = samplesInQueries,
): Promise<ReadonlyMap<string, TableSample>> {
  const limits: QueryLimits = { timeoutMs: sampleMs, rows: size.rows, bytes: size.bytes, memoryBytes }
  const wanted = new Map<string, Map<string, Set<string>>>()
  const sampled = new Map<string, TableSample>()
  for (const table of childrenFirst(tables)) {
    const stored = storedColumns(table)
    const names = stored.map(({ name }) => quoteNameIn(name, engine.dialect)).join(', ')
    const select = `SELECT ${names} FROM ${table.name}`
    const found = await representativeRows(engine, table, select, rowsOf(table, size), limits)
    // One that may not be read keeps nobody from the others.
    if (found === undefined) continue
    const rows = [...found.rows]
    for (const [column, keys] of wanted.get(table.name) ?? []) {
      const at = stored.findIndex(({ name }) => name === column)
      const referred = stored[at]
      const type = referred && columnType(referred, engine.dialect, [...keys])
      if (type === undefined) continue
      const known = new Set(rows.map((row) => row[at]))
      const missing = [...keys].filter((key) => !known.has(key)).slice(0, size.referred)
      for (let from = 0; from < missing.length; from += keysAtOnce) {
        const some = missing
          .slice(from, from + keysAtOnce)
          .map((key) => type.cast(quoteTextIn(key, engine.dialect)))
        const where = `WHERE ${quoteNameIn(column, engine.dialect)} IN (${some.join(', ')}) LIMIT ${size.referred}`
        rows.push(...((await readRows(engine, `${select} ${where}`, limits)) ?? []))
      }
    }
    for (const { columns, table: parent, targets } of table.references ?? []) {
      const [column, target] = [columns[0], targets[0]]
      // Keys of several columns are asked for by none of them.
      if (column === undefined || target === undefined || columns.length > 1) continue
      const at = stored.findIndex(({ name }) => name === column)
      const ofParent = wanted.get(parent) ?? new Map<string, Set<string>>()
      const keys = ofParent.get(target) ?? new Set()
      for (const row of rows) if (typeof row[at] === 'string') keys.add(row[at])
      wanted.set(parent, ofParent.set(target, keys))
    }
    const kept = withinCharacters(distinctRows(rows, table, size), size)
    const columns = stored.flatMap((column, at) => {
      const cells = rows.map((row) => row[at] ?? null)
      const type = columnType(
        column,
        engine.dialect,
        cells.flatMap((cell) => cell ?? []),
      )
      return type === undefined ? [] : [{ column, type, cells }]
    })
    const habits = await columnHabits(engine, table, columns, found.isWhole, limits)
    sampled.set(table.name, { rows: kept, habits })
  }
  return sampled
}

/** @param sample with cells of all columns that are not computed */
export function sampledTable(
  table: CatalogueTable,
  { rows, habits }: TableSample,
  dialect: Dialect,
): SampledTable {
  const stored = storedColumns(table)
  const kept = stored.flatMap((column, at) => {
    const type = columnType(
      column,
      dialect,
      rows.flatMap((row) => row[at] ?? []),
    )
    return type === undefined ? [] : [{ column, type, at }]
  })
  return {
    name: plainName(table.name),
    table,
    columns: kept.map(({ column, type }) => ({
      name: column.name,
      type,
      nullable: column.notNull !== true,
      isNumeric:
        /^(?:(?:tiny|small|medium|big)?int|integer|decimal|numeric|number|double|float|real|bool|year|bignumeric)/iu.test(
          column.base ?? column.type,
        ),
      habit: habits.get(column.name),
    })),
    rows: rows.map((row) => kept.map(({ at }) => row[at] ?? null)),
  }
}

/** Returns the columns that are not computed from others. */
function storedColumns({ columns }: CatalogueTable): readonly CatalogueColumn[] {
  return columns.filter(({ generated }) => generated === undefined)
}

/**
 * Keeps as many rows as have few characters together, chosen by a hash of their content: every n-th one may be all of a kind.
 */
function withinCharacters(rows: readonly Texts[], { characters }: SampleSize): readonly Texts[] {
  const lengths = rows.map((row) => row.reduce((all, cell) => all + (cell?.length ?? 0), 0))
  const share = characters / lengths.reduce((sum, length) => sum + length, 0)
  return share >= 1 ? rows : rows.filter((row) => randomFrom(JSON.stringify(row)).next() < share)
}

function rowsOf({ columns }: CatalogueTable, { rows, cells }: SampleSize): number {
  return Math.min(rows, Math.ceil(cells / Math.max(1, columns.length)))
}

/** Leaves out rows with the key of an earlier one: a table may be read twice. */
function distinctRows(rows: readonly Texts[], table: CatalogueTable, size: SampleSize): Texts[] {
  const { keys = [] } = table
  const stored = storedColumns(table)
  const key = (keys.find(({ primary }) => primary) ?? keys[0])?.columns ?? []
  const places = key.map((name) => stored.findIndex((column) => column.name === name))
  if (places.length === 0 || places.includes(-1)) return rows.slice(0, rowsOf(table, size))
  const seen = new Set<string>()
  return rows.filter((row) => {
    const text = JSON.stringify(places.map((at) => row[at]))
    const isNew = !seen.has(text)
    seen.add(text)
    return isNew
  })
}

/** Orders tables so that each comes before those that it refers to, as far as none refers to itself by way of others. */
function childrenFirst(tables: readonly CatalogueTable[]): readonly CatalogueTable[] {
  const left = new Set(tables)
  const ordered: CatalogueTable[] = []
  while (left.size > 0) {
    const free = [...left].filter(
      ({ name }) =>
        ![...left].some(
          (other) => other.name !== name && other.references?.some(({ table }) => table === name) === true,
        ),
    )
    for (const table of free.length === 0 ? [...left].slice(0, 1) : free) {
      left.delete(table)
      ordered.push(table)
    }
  }
  return ordered
}
