import type { Engine, QueryLimits, Value } from '../engine/contract/engine.js'
import type { Mention } from './mutate/columns.js'
import type { ColumnValues } from './mutate/literals.js'

/** Number of values read from one column. */
const most = 20

/** Reads a few values of columns from a database, each column once. */
export interface ValueReader {
  /** Returns values of the mentioned columns; none for those that cannot be read. */
  read(mentions: readonly Mention[]): Promise<ColumnValues>
}

export function createValueReader(engine: Engine, limits: QueryLimits): ValueReader {
  const known = new Map<string, readonly Value[]>()
  const keyOf = (table: string, column: string): string => `${table}\0${column}`

  async function valuesOf(table: string, column: string): Promise<readonly Value[]> {
    // Other names would need the engine's quoting, in the right letter case.
    if (!/^\w+$/u.test(column)) return []
    const sql = `SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL ORDER BY 1 LIMIT ${most}`
    const outcome = await engine.query(sql, limits)
    if (outcome.kind !== 'rows') return []
    return outcome.result.rows.flatMap(([value]) => (value === undefined ? [] : [value]))
  }

  return {
    async read(mentions) {
      for (const { table, column } of mentions) {
        const key = keyOf(table.name, column)
        if (!known.has(key)) known.set(key, await valuesOf(table.name, column))
      }
      return (table, column) => known.get(keyOf(table, column)) ?? []
    },
  }
}
