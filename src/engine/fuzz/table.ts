import type { Random } from './random.js'

/** A cell as the driver of an engine reads and writes it; NULL is null. */
export type Cell = null | boolean | number | bigint | string | object

export interface FuzzColumn {
  readonly name: string
  readonly nullable: boolean
  /** Another value of the type close to this one, where one is known: a neighbouring day, a rounded number. */
  readonly near: (cell: Cell, random: Random) => Cell | undefined
  /** Values that none of the cells is, each count another, for a column that is a key; undefined where none can be made. */
  readonly fresh: (cells: readonly Cell[]) => ((count: number) => Cell) | undefined
}

/** A foreign key: columns here, by position, and what they refer to. */
export interface ForeignKey {
  readonly columns: readonly number[]
  readonly table: string
  readonly targets: readonly number[]
}

/** A CHECK constraint: columns that it speaks of, by position, and texts that it names. What it means, the engine knows. */
export interface Check {
  readonly columns: readonly number[]
  readonly texts: readonly string[]
}

export interface FuzzTable {
  /** Unique in the database. */
  readonly name: string
  readonly columns: readonly FuzzColumn[]
  /** Sets of columns whose values together occur once: primary keys and unique constraints. */
  readonly keys: readonly (readonly number[])[]
  /** Columns of which some values occur once only, as indexes say that are unique for some rows or for what a call makes of it. */
  readonly partialKeys?: readonly number[]
  readonly references: readonly ForeignKey[]
  readonly checks: readonly Check[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Equal cells have equal keys; cells of different types differ. */
function keyOf(cell: Cell): string {
  if (cell instanceof Uint8Array) return `blob:${Buffer.from(cell).toString('hex')}`
  const type = typeof cell === 'bigint' ? 'number' : typeof cell
  return `${type}:${String(cell)}`
}

/** One text for the values of some columns of a row; undefined where one of them is NULL, which equals nothing. */
export function tupleKey(row: readonly Cell[], columns: readonly number[]): string | undefined {
  let text = ''
  for (const column of columns) {
    const cell = row[column] ?? null
    if (cell === null) return undefined
    const key = keyOf(cell)
    text += `${key.length}:${key}`
  }
  return text
}
