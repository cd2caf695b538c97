import { type Cell, type ForeignKey, type FuzzTable, tupleKey } from './fuzz-table.js'

type Row = readonly Cell[]

/**
 * Drops rows until every declared constraint is satisfied: no NULL where it is prohibited, no duplicate key,
 * no dangling reference. CHECK constraints concern single rows, and are satisfied already.
 */
export function enforceConstraints(tables: readonly FuzzTable[]): FuzzTable[] {
  const current = tables.map((table): FuzzTable => {
    const filled = { ...table, rows: table.rows.filter((row) => satisfiesNotNull(table, row)) }
    return { ...filled, rows: dropDuplicateKeys(filled) }
  })
  // A dropped row can only break references, so only they are checked again.
  for (let changed = true; changed; ) {
    changed = false
    for (const [at, table] of current.entries()) {
      const rows = dropOrphans(table, current)
      if (rows.length === table.rows.length) continue
      current[at] = { ...table, rows }
      changed = true
    }
  }
  return current
}

function satisfiesNotNull(table: FuzzTable, row: Row): boolean {
  return table.columns.every((column, at) => column.nullable || (row[at] ?? null) !== null)
}

function dropDuplicateKeys(table: FuzzTable): readonly Row[] {
  return table.keys.reduce<readonly Row[]>((rows, key) => {
    const seen = new Set<string>()
    return rows.filter((row) => {
      const text = tupleKey(row, key)
      if (text === undefined) return true
      if (seen.has(text)) return false
      seen.add(text)
      return true
    })
  }, table.rows)
}

function dropOrphans(table: FuzzTable, tables: readonly FuzzTable[]): readonly Row[] {
  return table.references.reduce<readonly Row[]>((rows, reference) => {
    const parents = parentKeys(reference, tables)
    if (parents === undefined) return rows
    return rows.filter((row) => {
      const text = tupleKey(row, reference.columns)
      return text === undefined || parents.has(text)
    })
  }, table.rows)
}

/** Returns the keys that a reference may refer to; undefined if its table is not among these. */
function parentKeys(reference: ForeignKey, tables: readonly FuzzTable[]): ReadonlySet<string> | undefined {
  const parent = tables.find((table) => table.name === reference.table)
  if (parent === undefined) return undefined
  const keys = parent.rows.map((row) => tupleKey(row, reference.targets))
  return new Set(keys.filter((key) => key !== undefined))
}
