import type { Habit } from '../contract/habit.js'
import type { ValueForm } from './forms/value-form.js'
import type { Random } from './seeded-random.js'

/** A cell as an engine's driver reads and writes it; NULL is null. */
export type Cell = null | boolean | number | bigint | string | object

/** What is known of a column from its declaration and from all its rows, not from a sample. */
export interface DeclaredColumn {
  readonly form: ValueForm
  readonly habit?: Habit | undefined
}

export interface FuzzColumn {
  readonly name: string
  readonly nullable: boolean
  /** Absent: what its values have in common is judged by those at hand. */
  readonly declared?: DeclaredColumn | undefined
  /**
   * Returns another value of the type close to this one, if one is known: a neighbouring day, a rounded
   * number.
   */
  readonly near: (cell: Cell, random: Random) => Cell | undefined
  /**
   * Returns a generator of values that none of the cells has, a different one for each count, for a key
   * column; undefined if it is impossible.
   */
  readonly fresh: (cells: readonly Cell[]) => ((count: number) => Cell) | undefined
}

/** A foreign key: columns of this table, by position, and the columns they refer to. */
export interface ForeignKey {
  readonly columns: readonly number[]
  readonly table: string
  readonly targets: readonly number[]
}

/**
 * A CHECK constraint: the columns that it uses, by position, and strings that it names. Only the engine
 * evaluates it.
 */
export interface Check {
  readonly columns: readonly number[]
  readonly texts: readonly string[]
}

export interface FuzzTable {
  /** Unique in the database. */
  readonly name: string
  readonly columns: readonly FuzzColumn[]
  /** Sets of columns whose combined values are unique: primary keys and unique constraints. */
  readonly keys: readonly (readonly number[])[]
  /** Columns of which some values are unique, because of unique indexes on some rows or on an expression. */
  readonly partialKeys?: readonly number[]
  readonly references: readonly ForeignKey[]
  readonly checks: readonly Check[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Returns a key: equal cells have equal keys; cells of different types differ. */
function keyOf(cell: Cell): string {
  if (cell instanceof Uint8Array) return `blob:${Buffer.from(cell).toString('hex')}`
  const type = typeof cell === 'bigint' ? 'number' : typeof cell
  return `${type}:${String(cell)}`
}

/**
 * Returns one text for the values of some columns of a row; undefined if one of them is NULL, which equals
 * nothing.
 */
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
