import type { Profile } from './copy-profiles.js'
import { type Cell, type ForeignKey, type FuzzTable, tupleKey } from './fuzz-table.js'
import type { Random } from './seeded-random.js'

type Row = readonly Cell[]

/** Share of references that keep referring to the same row, if possible. */
const keptReferences = 0.6
/** Share of references that become NULL in a copy with NULLs, where allowed. */
const nullReferences = 0.2
/** How often another row is tried that leaves the keys of the referring table unique. */
const tries = 4

/**
 * Returns the rows of a table with each reference pointing to a row of its parent. Some parents are not
 * referred to. A row without a parent gets NULL, or is left unchanged, to be dropped.
 */
export function assignForeignKeys(
  table: FuzzTable,
  tables: readonly FuzzTable[],
  profile: Profile,
  random: Random,
): readonly Row[] {
  return table.references.reduce<readonly Row[]>((rows, reference) => {
    const itself = reference.table === table.name
    const parent = itself ? { ...table, rows } : tables.find((other) => other.name === reference.table)
    if (parent === undefined) return rows
    const named = referenceableRows(parent, reference, profile, random)
    return assignForeignKey(table, rows, reference, { rows: named, itself }, profile, random)
  }, table.rows)
}

/** Returns the rows of the parent that may be referred to. */
function referenceableRows(
  parent: FuzzTable,
  reference: ForeignKey,
  profile: Profile,
  random: Random,
): readonly Row[] {
  const complete = parent.rows.filter((row) => tupleKey(row, reference.targets) !== undefined)
  const some = complete.filter(() => random.chance(profile.parents))
  return some.length > 0 ? some : complete
}

function assignForeignKey(
  table: FuzzTable,
  rows: readonly Row[],
  { columns, targets }: ForeignKey,
  named: { readonly rows: readonly Row[]; readonly itself: boolean },
  profile: Profile,
  random: Random,
): readonly Row[] {
  const places = new Map(named.rows.map((row, at) => [tupleKey(row, targets), at]))
  const allowed = named.itself ? earlierRows(rows, named.rows) : rows.map(() => named.rows.length)
  const nullable = columns.every((column) => table.columns[column]?.nullable === true)
  const unique = table.keys.filter((key) => key.some((column) => columns.includes(column)))
  const taken = unique.map(() => new Set<string>())
  // A row that keeps its reference is handled before one that needs another.
  const isKept = rows.map((row, at) => {
    const key = tupleKey(row, columns)
    const place = places.get(key)
    const stands = key === undefined ? nullable : place !== undefined && place < (allowed[at] ?? 0)
    return stands && random.chance(keptReferences) && reserveKeys(taken, unique, row)
  })
  return rows.map((row, at) => {
    if (isKept[at] === true) return row
    const choices = allowed[at] ?? 0
    if (nullable && (choices === 0 || (profile.nulls > 0 && random.chance(nullReferences))))
      return withCells(row, columns, () => null)
    for (let attempt = 0; attempt < tries && choices > 0; attempt++) {
      const target = named.rows[random.below(choices)]
      const candidate = withCells(row, columns, (index) => target?.[targets[index] ?? -1] ?? null)
      if (reserveKeys(taken, unique, candidate)) return candidate
    }
    return row
  })
}

/**
 * Returns how many of the referenced rows precede each row: a table that refers to itself refers only to
 * those, to avoid cycles.
 */
function earlierRows(rows: readonly Row[], named: readonly Row[]): number[] {
  const isNamed = new Set(named)
  let earlier = 0
  return rows.map((row) => {
    const before = earlier
    if (isNamed.has(row)) earlier++
    return before
  })
}

/** Marks the keys of a row as used; returns false, marking nothing, if one is used already. */
function reserveKeys(
  taken: readonly Set<string>[],
  unique: readonly (readonly number[])[],
  row: Row,
): boolean {
  const keys = unique.map((key) => tupleKey(row, key))
  if (keys.some((key, index) => key !== undefined && taken[index]?.has(key) === true)) return false
  for (const [index, key] of keys.entries()) if (key !== undefined) taken[index]?.add(key)
  return true
}

function withCells(row: Row, columns: readonly number[], value: (index: number) => Cell): Row {
  const result = [...row]
  for (const [index, column] of columns.entries()) result[column] = value(index)
  return result
}
