import type { DuckDBConnection } from '@duckdb/node-api'
import { stringLiteralsIn } from '../../fuzz/check-constraints.js'
import type { FuzzTable } from '../../fuzz/fuzz-table.js'
import { quoteText } from '../../query/quote-names.js'
import { valueGenerators } from './value-generators.js'

/** A table of an attached DuckDB database as declared. */
export interface DuckdbTable {
  readonly schema: string
  readonly table: string
  /** As queries name it, in lower case and without quotes. */
  readonly name: string
  /** Number of its rows. */
  readonly rows: number
  readonly shape: Omit<FuzzTable, 'rows'>
  /** Conditions of its CHECK constraints, as DuckDB writes them. */
  readonly conditions: readonly string[]
}

interface TableDeclaration {
  readonly schema: string
  readonly table: string
  readonly rows: number
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly constraints: readonly Constraint[]
}

interface Constraint {
  readonly kind: string
  readonly columns: readonly string[]
  readonly parent: string
  readonly targets: readonly string[]
  /** Condition of a CHECK. */
  readonly condition: string
}

/** Returns the tables of an attached database with their keys, references and CHECK constraints. */
export async function readTables(connection: DuckDBConnection, database: string): Promise<DuckdbTable[]> {
  const listed = await rowsOf(
    connection,
    `SELECT schema_name, table_name, sql, CAST(estimated_size AS VARCHAR) FROM duckdb_tables()
     WHERE database_name = ${quoteText(database)} AND NOT internal ORDER BY table_oid`,
  )
  // One query for all tables: there may be thousands.
  const columns = await rowsByTable(
    connection,
    `SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns()
     WHERE database_name = ${quoteText(database)} ORDER BY schema_name, table_name, column_index`,
  )
  const constraints = await rowsByTable(
    connection,
    `SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names, expression
     FROM duckdb_constraints() WHERE database_name = ${quoteText(database)}`,
  )
  const tables = listed.map((row): TableDeclaration => {
    const [schema, table, sql] = [textOf(row[0]), textOf(row[1]), textOf(row[2])]
    const name = nameOf(schema, table)
    return {
      schema,
      table,
      rows: Number(textOf(row[3])),
      columns: (columns.get(name)?.rows ?? [])
        .map(([column, type]) => ({ name: textOf(column), type: textOf(type) }))
        .filter((column) => !isGenerated(sql, column)),
      constraints: (constraints.get(name)?.rows ?? []).map(([kind, own, parent, targets, condition]) => ({
        kind: textOf(kind),
        columns: textsOf(own),
        parent: textOf(parent),
        targets: textsOf(targets),
        condition: textOf(condition),
      })),
    }
  })
  return tables.map((declared) => {
    const { schema, table, rows } = declared
    const conditions = constraintsOfKind(declared, 'CHECK').map(({ condition }) => condition)
    return {
      schema,
      table,
      name: plainName(schema, table),
      rows,
      shape: shapeOf(declared, tables),
      conditions,
    }
  })
}

function shapeOf(declared: TableDeclaration, tables: readonly TableDeclaration[]): DuckdbTable['shape'] {
  const of = (...kinds: string[]): readonly Constraint[] => constraintsOfKind(declared, ...kinds)
  const filled = new Set(of('NOT NULL', 'PRIMARY KEY').flatMap((constraint) => constraint.columns))
  return {
    name: nameOf(declared.schema, declared.table),
    columns: declared.columns.map(({ name, type }) => ({
      name,
      nullable: !filled.has(name),
      ...valueGenerators(type),
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
    checks: of('CHECK').map((constraint) => ({
      columns: positions(constraint.columns, declared),
      texts: stringLiteralsIn(constraint.condition),
    })),
  }
}

function constraintsOfKind({ constraints }: TableDeclaration, ...kinds: string[]): readonly Constraint[] {
  return constraints.filter((constraint) => kinds.includes(constraint.kind))
}

/** Returns positions of columns by name; generated ones, which cannot be written, are left out. */
function positions(names: readonly string[], declared: TableDeclaration): number[] {
  return names
    .map((name) => declared.columns.findIndex((column) => column.name === name))
    .filter((at) => at >= 0)
}

/**
 * Reports whether a column is generated. DuckDB shows this only in the text of CREATE TABLE, which it
 * generates itself.
 */
function isGenerated(sql: string, { name, type }: { name: string; type: string }): boolean {
  const quoted = `"${name.replaceAll('"', '""')}"`
  return [name, quoted].some((written) => sql.includes(`${written} ${type} GENERATED ALWAYS AS(`))
}

function nameOf(schema: string, table: string): string {
  return JSON.stringify([schema, table])
}

interface RowsOfTable {
  readonly schema: string
  readonly table: string
  readonly rows: (readonly unknown[])[]
}

/** Returns the rows of a query by table; its first two columns are schema and table. */
export async function rowsByTable(
  connection: DuckDBConnection,
  sql: string,
): Promise<ReadonlyMap<string, RowsOfTable>> {
  const tables = new Map<string, RowsOfTable>()
  for (const [first, second, ...rest] of await rowsOf(connection, sql)) {
    const [schema, table] = [textOf(first), textOf(second)]
    const name = nameOf(schema, table)
    const known = tables.get(name)
    if (known === undefined) tables.set(name, { schema, table, rows: [rest] })
    else known.rows.push(rest)
  }
  return tables
}

/** Returns the views of an attached database. */
export async function readViews(
  connection: DuckDBConnection,
  database: string,
): Promise<{ readonly name: string; readonly sql: string }[]> {
  const rows = await rowsOf(
    connection,
    `SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = ${quoteText(database)} AND NOT internal`,
  )
  return rows.map(([schema, view, sql]) => ({
    name: plainName(textOf(schema), textOf(view)),
    sql: textOf(sql),
  }))
}

/** Returns the name of a table or view as queries use it, in lower case and without quotes. */
function plainName(schema: string, table: string): string {
  return (schema === 'main' ? table : `${schema}.${table}`).toLowerCase()
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
