import type { DuckDBConnection } from '@duckdb/node-api'
import type { Catalogue, CatalogueColumn, CatalogueTable } from '../../contract/engine.js'
import { quoteIfNeeded } from '../../query/quote-names.js'
import { rowsByTable } from './read-tables.js'

/** Returns the tables and views of the current database, with their columns and keys. */
export async function readCatalogue(connection: DuckDBConnection): Promise<Catalogue> {
  const columns = await rowsByTable(
    connection,
    `SELECT schema_name, table_name, column_name, data_type, is_nullable FROM duckdb_columns()
     WHERE database_name = current_database() AND NOT internal
     ORDER BY schema_name, table_name, column_index`,
  )
  const keys = await rowsByTable(
    connection,
    `SELECT schema_name, table_name, constraint_type = 'PRIMARY KEY', constraint_column_names FROM duckdb_constraints()
     WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')`,
  )
  return {
    tables: [...columns].map(([key, { schema, table, rows }]): CatalogueTable => {
      const own = keys.get(key)?.rows.map(toKey)
      return {
        name: schema === 'main' ? quoteIfNeeded(table) : `${quoteIfNeeded(schema)}.${quoteIfNeeded(table)}`,
        columns: rows.map(toColumn),
        ...(own === undefined ? {} : { keys: own }),
      }
    }),
  }
}

function toColumn([name, type, nullable]: readonly unknown[]): CatalogueColumn {
  return { name: String(name), type: String(type), ...(nullable === false ? { notNull: true } : {}) }
}

function toKey([primary, columns]: readonly unknown[]): NonNullable<CatalogueTable['keys']>[number] {
  return { columns: Array.isArray(columns) ? columns.map(String) : [], primary: primary === true }
}
