import { type DuckDBAppender, DuckDBDataChunk, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'
import type { Cell } from '../../fuzz/fuzz-table.js'

/** Maximal number of values in a data chunk. */
const chunkRows = 2048

/** Appends rows of these types to a table. */
export function appendRows(
  appender: DuckDBAppender,
  rows: readonly (readonly Cell[])[],
  types: readonly DuckDBType[],
): void {
  for (let at = 0; at < rows.length; at += chunkRows) {
    const part = rows.slice(at, at + chunkRows)
    const chunk = DuckDBDataChunk.create(types, part.length)
    for (const column of types.keys())
      chunk.setColumnValues(
        column,
        part.map((row) => toDuckdb(row[column])),
      )
    appender.appendDataChunk(chunk)
  }
}

/** Narrows a cell to DuckDB's type: it was read by this driver, or made by `perturb-nested.ts`. */
function toDuckdb(cell: Cell | undefined): DuckDBValue {
  return (cell ?? null) as DuckDBValue
}
