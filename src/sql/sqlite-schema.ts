import type { Dialect } from '../dialect.js'
import type { ColumnSchema, Schema, TableSchema } from './tables.js'

/** A schema never changes, and each pair asks again. */
const known = new WeakMap<Schema, Schema>()

/**
 * The schema as queries of these dialects may rely on it. SQLite lets a primary key hold NULLs, unless it is one
 * column of type INTEGER; where one of two databases is another one, it has seen to it for the rows of both.
 */
export function enforcedBy(schema: Schema | undefined, ...dialects: readonly Dialect[]): Schema | undefined {
  if (schema === undefined || dialects.some((dialect) => dialect !== 'sqlite')) return schema
  const found = known.get(schema) ?? {
    tables: new Map([...schema.tables].map(([name, table]) => [name, asKept(table)])),
  }
  known.set(schema, found)
  return found
}

function asKept(table: TableSchema): TableSchema {
  return { ...table, columns: new Map([...table.columns].map(([name, column]) => [name, withNulls(column)])) }
}

function withNulls(column: ColumnSchema): ColumnSchema {
  return column.notNullByKey === true ? { ...column, notNull: false } : column
}
