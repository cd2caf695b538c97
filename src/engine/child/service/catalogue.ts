import type { Catalogue, Column, ResultSet } from '../../contract/engine.js'
import { quoteIfNeeded } from '../../query/quote-names.js'

/** Returns the query that lists schema, table, column and type of a catalogue, in order. */
export function columnsQuery(catalogue: string): string {
  return `SELECT table_schema, table_name, column_name, data_type FROM ${catalogue}.information_schema.columns
    WHERE lower(table_schema) <> 'information_schema' ORDER BY table_schema, table_name, ordinal_position`
}

/** Reads its rows; tables of the given schema need no schema before their name. */
export function catalogueFrom(
  { rows }: ResultSet,
  schema: string,
  quote: (name: string) => string = quoteIfNeeded,
): Catalogue {
  const tables = new Map<string, Column[]>()
  for (const row of rows) {
    const [in_ = '', table = '', name = '', type = ''] = row.map((cell) => String(cell ?? ''))
    const qualified =
      in_.toLowerCase() === schema.toLowerCase() ? quote(table) : `${quote(in_)}.${quote(table)}`
    const columns = tables.get(qualified) ?? []
    tables.set(qualified, columns)
    columns.push({ name, type })
  }
  return { tables: [...tables].map(([name, columns]) => ({ name, columns })) }
}
