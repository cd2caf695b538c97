import type { FuzzTable } from './fuzz-table.js'

interface NamedTable {
  /** Plain lower-case name; without the schema for a table of the default schema. */
  readonly name: string
  readonly shape: Omit<FuzzTable, 'rows'>
}

interface View {
  readonly name: string
  readonly sql: string
}

/**
 * Returns the tables, by the names of their shapes, that must have rows for queries which read these tables
 * and views: these, the tables they refer to, and any that the text of a view may name.
 */
export function requiredTables(
  wanted: readonly string[],
  tables: readonly NamedTable[],
  views: readonly View[],
): ReadonlySet<string> {
  const found = new Set<string>()
  const names = new Set(wanted)
  for (const name of names) {
    const table = tables.find((candidate) => candidate.name === name)
    if (table !== undefined) {
      found.add(table.shape.name)
      for (const { table: parent } of table.shape.references) {
        const referred = tables.find(({ shape }) => shape.name === parent)
        if (referred !== undefined) names.add(referred.name)
      }
    }
    const view = views.find((candidate) => candidate.name === name)
    if (view === undefined) continue
    const words = new Set(view.sql.toLowerCase().split(/[^\p{L}\p{N}_$]+/u))
    for (const other of [...tables, ...views]) {
      const parts = other.name.split(/[^\p{L}\p{N}_$]+/u).filter((part) => part !== '')
      if (parts.slice(-1).every((part) => words.has(part))) names.add(other.name)
    }
  }
  return found
}
