import type { ComparedLiteral } from '../../sql/index.js'
import type { InjectionTable } from './injection-target.js'

/** Maximal number of tables with a column that a view may show. */
const mostBehindView = 8

/**
 * Resolves values of a view's column to those of columns with that name, one of which usually provides it.
 */
export function resolveViewColumns(
  values: readonly ComparedLiteral[],
  tables: readonly InjectionTable[],
): ComparedLiteral[] {
  const names = new Set(tables.map(({ name }) => name))
  return values.flatMap((value) => {
    if (names.has(value.table)) return [value]
    const behind = tables.filter(({ shape }) =>
      shape.columns.some(({ name }) => name.toLowerCase() === value.column),
    )
    return behind.slice(0, mostBehindView).map(({ name }) => ({ ...value, table: name }))
  })
}

/** Adds the columns that a foreign key refers to. */
export function withReferencedColumns(
  values: readonly ComparedLiteral[],
  tables: readonly InjectionTable[],
): readonly ComparedLiteral[] {
  const all = [...values]
  for (const value of all) {
    const table = tables.find(({ name }) => name === value.table)
    for (const { columns, table: to, targets } of table?.shape.references ?? []) {
      const at = columns.findIndex(
        (column) => table?.shape.columns[column]?.name.toLowerCase() === value.column,
      )
      const parent = tables.find(({ shape }) => shape.name === to)
      const column = parent?.shape.columns[targets[at] ?? -1]?.name.toLowerCase()
      if (parent === undefined || column === undefined) continue
      const known = all.some(
        (other) => other.table === parent.name && other.column === column && other.text === value.text,
      )
      if (!known) all.push({ ...value, table: parent.name, column })
    }
  }
  return all
}
