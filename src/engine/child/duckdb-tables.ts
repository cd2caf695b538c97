import type { DuckDBConnection } from '@duckdb/node-api'
import type { FuzzTable } from '../fuzz/table.js'
import { quoteText } from '../quote.js'
import { valuesOf } from './duckdb-near.js'

/** A table of an attached DuckDB database as it is declared. */
export interface DuckdbTable {
  readonly schema: string
  readonly table: string
  readonly shape: Omit<FuzzTable, 'rows'>
}

interface Declared {
  readonly schema: string
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly constraints: readonly Constraint[]
}

interface Constraint {
  readonly kind: string
  readonly columns: readonly string[]
  readonly parent: string
  readonly targets: readonly string[]
}

/** The tables of an attached database with their keys, references and checked columns. */
export async function readTables(connection: DuckDBConnection, database: string): Promise<DuckdbTable[]> {
  const listed = await rowsOf(
    connection,
    `SELECT schema_name, table_name, sql FROM duckdb_tables()
     WHERE database_name = ${quoteText(database)} AND NOT internal ORDER BY table_oid`,
  )
  const tables: Declared[] = []
  for (const row of listed) {
    const [schema, table, sql] = [textOf(row[0]), textOf(row[1]), textOf(row[2])]
    const of = `database_name = ${quoteText(database)} AND schema_name = ${quoteText(schema)} AND table_name = ${quoteText(table)}`
    const columns = await rowsOf(
      connection,
      `SELECT column_name, data_type FROM duckdb_columns() WHERE ${of} ORDER BY column_index`,
    )
    const constraints = await rowsOf(
      connection,
      `SELECT constraint_type, constraint_column_names, referenced_table, referenced_column_names
       FROM duckdb_constraints() WHERE ${of}`,
    )
    tables.push({
      schema,
      table,
      columns: columns
        .map(([name, type]) => ({ name: textOf(name), type: textOf(type) }))
        .filter((column) => !isGenerated(sql, column)),
      constraints: constraints.map(([kind, own, parent, targets]) => ({
        kind: textOf(kind),
        columns: textsOf(own),
        parent: textOf(parent),
        targets: textsOf(targets),
      })),
    })
  }
  return tables.map((table) => ({ schema: table.schema, table: table.table, shape: shapeOf(table, tables) }))
}

function shapeOf(declared: Declared, tables: readonly Declared[]): DuckdbTable['shape'] {
  const of = (...kinds: string[]): readonly Constraint[] =>
    declared.constraints.filter((constraint) => kinds.includes(constraint.kind))
  const filled = new Set(of('NOT NULL', 'PRIMARY KEY').flatMap((constraint) => constraint.columns))
  return {
    name: nameOf(declared.schema, declared.table),
    columns: declared.columns.map(({ name, type }) => ({
      name,
      nullable: !filled.has(name),
      ...valuesOf(type),
    })),
    keys: of('PRIMARY KEY', 'UNIQUE').map((constraint) => positions(constraint.columns, declared)),
    references: of('FOREIGN KEY').flatMap((constraint) => {
      // A foreign key stays within its schema.
      const parent = tables.find(
        (table) => table.schema === declared.schema && table.table === constraint.parent,
      )
      if (parent === undefined) return []
      const columns = positions(constraint.columns, declared)
      const targets = positions(constraint.targets, parent)
      return [{ columns, table: nameOf(parent.schema, parent.table), targets }]
    }),
    checked: positions([...new Set(of('CHECK').flatMap((constraint) => constraint.columns))], declared),
  }
}

/** Positions of columns by name; generated ones, which nobody writes, are left out. */
function positions(names: readonly string[], declared: Declared): number[] {
  return names
    .map((name) => declared.columns.findIndex((column) => column.name === name))
    .filter((at) => at >= 0)
}

/** DuckDB tells generated columns apart only in the text of CREATE TABLE, which it writes itself. */
function isGenerated(sql: string, { name, type }: { name: string; type: string }): boolean {
  const quoted = `"${name.replaceAll('"', '""')}"`
  return [name, quoted].some((written) => sql.includes(`${written} ${type} GENERATED ALWAYS AS(`))
}

function nameOf(schema: string, table: string): string {
  return JSON.stringify([schema, table])
}

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRowsJson()
}

function textOf(cell: unknown): string {
  return typeof cell === 'string' ? cell : ''
}

function textsOf(cell: unknown): readonly string[] {
  return Array.isArray(cell) ? cell.map(textOf) : []
}
