import type { Dialect } from '../../enums/dialect.js'
import type { Catalogue, Column, ResultSet } from '../contract/engine.js'
import { quoteIfNeeded } from '../query/quote-names.js'

/** Returns the query that lists schema, table, column and type, in order. */
export function catalogueQuery(dialect: Dialect): string {
  if (dialect === 'sqlite') {
    return `SELECT '', m.name, c.name, c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY m.name, c.cid`
  }
  return `SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
    WHERE lower(table_schema) NOT IN ('information_schema', 'pg_catalog', 'mysql', 'performance_schema', 'sys')
    ORDER BY table_schema, table_name, ordinal_position`
}

/** Schemas whose tables a query names without the schema. */
const defaultSchemas = new Set(['', 'main', 'public', 'default'])

export function catalogueOf(result: ResultSet): Catalogue {
  const tables = new Map<string, Column[]>()
  for (const row of result.rows) {
    const [schema = '', table = '', name = '', type = ''] = row.map((cell) => String(cell ?? ''))
    const qualified = defaultSchemas.has(schema.toLowerCase())
      ? quoteIfNeeded(table)
      : `${quoteIfNeeded(schema)}.${quoteIfNeeded(table)}`
    tables.set(qualified, [...(tables.get(qualified) ?? []), { name, type }])
  }
  return { tables: [...tables].map(([name, columns]) => ({ name, columns })) }
}
