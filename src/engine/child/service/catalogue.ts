import type { Catalogue, Column, ResultSet } from '../../contract/engine.js'
import { quoteIfNeeded } from '../../query/quote-names.js'

/**
 * Returns the query that lists schema, table, column and type, in order, and the query of each view: NULL for tables, empty
 * where it is not shown.
 *
 * @param within of which the information schema tells: a catalogue, or a data set
 */
export function columnsQuery(within: string): string {
  return `SELECT c.table_schema, c.table_name, c.column_name, c.data_type,
      CASE WHEN v.table_name IS NULL THEN NULL ELSE coalesce(v.view_definition, '') END AS view_definition
    FROM ${within}.INFORMATION_SCHEMA.COLUMNS c
    LEFT JOIN ${within}.INFORMATION_SCHEMA.VIEWS v ON v.table_schema = c.table_schema AND v.table_name = c.table_name
    WHERE lower(c.table_schema) <> 'information_schema' ORDER BY c.table_schema, c.table_name, c.ordinal_position`
}

/** Reads its rows; tables of the given schema need no schema before their name. */
export function catalogueFrom(
  { rows }: ResultSet,
  schema: string,
  quote: (name: string) => string = quoteIfNeeded,
): Catalogue {
  const tables = new Map<string, Column[]>()
  const views = new Map<string, string>()
  for (const row of rows) {
    const [in_ = '', table = '', name = '', type = ''] = row.map((cell) => String(cell ?? ''))
    const qualified =
      in_.toLowerCase() === schema.toLowerCase() ? quote(table) : `${quote(in_)}.${quote(table)}`
    const columns = tables.get(qualified) ?? []
    tables.set(qualified, columns)
    columns.push({ name, type })
    const text = row[4]
    if (typeof text === 'string') views.set(qualified, queryOfView(text))
  }
  return {
    tables: [...tables].map(([name, columns]) => {
      const view = views.get(name)
      return { name, columns, ...(view === undefined ? {} : { view }) }
    }),
  }
}

/** Snowflake shows the whole statement. */
function queryOfView(text: string): string {
  return text.replace(/^\s*create\b[\s\S]*?\bas\s+(?=select\b|with\b|\()/i, '').replace(/[\s;]+$/, '')
}
