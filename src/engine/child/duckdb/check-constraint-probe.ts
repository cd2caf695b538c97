import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api'
import type { CheckConstraintProbe } from '../../fuzz/check-constraints.js'
import { quoteName } from '../../query/quote-names.js'
import { appendRows } from './append-rows.js'
import type { DuckdbTable } from './read-tables.js'

type TypedTable = DuckdbTable & { readonly types: readonly DuckDBType[] }

/**
 * Creates a probe of which rows the CHECK constraints of a table allow, with a temporary table of the same
 * name and columns, which the conditions may use. Inserting row by row is too slow in DuckDB, and inserting
 * many at once rejects all of them.
 */
export function createDuckdbCheckProbe(
  connection: DuckDBConnection,
  tables: readonly TypedTable[],
): CheckConstraintProbe {
  return async ({ name }, rows) => {
    const table = tables.find(({ shape }) => shape.name === name)
    if (table === undefined || rows.length === 0) return rows.map(() => table !== undefined)
    const temporary = `temp.main.${quoteName(table.table)}`
    const names = table.shape.columns.map((column) => quoteName(column.name)).join(', ')
    const original = `original.${quoteName(table.schema)}.${quoteName(table.table)}`
    await connection.run(
      `CREATE TEMP TABLE ${quoteName(table.table)} AS SELECT ${names} FROM ${original} LIMIT 0`,
    )
    const appender = await connection.createAppender(table.table, 'main', 'temp')
    appendRows(appender, rows, table.types)
    appender.closeSync()
    // A condition is satisfied unless it is false; if it cannot be evaluated, the row is rejected.
    const allowed = table.conditions.map(
      (condition) => `coalesce(TRY(coalesce(CAST((${condition}) AS INTEGER), 1)), 0) <> 0`,
    )
    const result = await connection.runAndReadAll(`SELECT ${allowed.join(' AND ')} FROM ${temporary}`)
    await connection.run(`DROP TABLE ${temporary}`)
    return result.getRows().map(([isAllowed]) => isAllowed === true)
  }
}
