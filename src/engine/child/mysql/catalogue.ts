import type { Connection, RowDataPacket } from 'mysql2/promise'
import type { Catalogue, CatalogueColumn, CatalogueTable } from '../../contract/engine.js'
import { codeOf } from '../server-connection.js'

const others = `('information_schema', 'mysql', 'performance_schema', 'sys')`

/** What is known of a table, while it is read. */
type Table = { -readonly [Key in keyof CatalogueTable]: CatalogueTable[Key] } & { columns: CatalogueColumn[] }

/** Lists what the user may read. */
export async function catalogueOf(connection: Connection): Promise<Catalogue> {
  const read = async (sql: string): Promise<RowDataPacket[]> =>
    (await connection.query<RowDataPacket[]>(sql))[0]
  const tables = new Map<string, Table>()
  for (const row of await read(
    `SELECT table_schema AS s, table_name AS t, column_name AS c, column_type AS y, is_nullable AS n, table_schema <=> database() AS here,
     generation_expression AS g, collation_name AS collation, character_set_name AS charset
     FROM information_schema.columns WHERE table_schema NOT IN ${others} ORDER BY 1, 2, ordinal_position`,
  )) {
    const { s, t, here } = row
    const name = Number(here) === 1 ? quoteIfNeeded(t) : `${quoteIfNeeded(s)}.${quoteIfNeeded(t)}`
    const known = tables.get(keyOf(s, t)) ?? { name, columns: [] }
    tables.set(keyOf(s, t), known)
    known.columns.push(columnOf(row))
  }
  const keys = await read(
    `SELECT table_schema AS s, table_name AS t, index_name AS k, column_name AS c
     FROM information_schema.statistics WHERE non_unique = 0 AND sub_part IS NULL AND table_schema NOT IN ${others}
     ORDER BY 1, 2, index_name <> 'PRIMARY', 3, seq_in_index`,
  )
  for (const rows of grouped(keys).values()) {
    const [{ s, t, k } = {} as RowDataPacket] = rows
    const table = tables.get(keyOf(s, t))
    const columns = rows.map(({ c }) => c)
    if (table !== undefined && columns.every((column) => typeof column === 'string'))
      table.keys = [...(table.keys ?? []), { columns, primary: k === 'PRIMARY' }]
  }
  const references = await read(
    `SELECT table_schema AS s, table_name AS t, constraint_name AS k, column_name AS c,
     referenced_table_schema AS ps, referenced_table_name AS pt, referenced_column_name AS pc
     FROM information_schema.key_column_usage WHERE referenced_table_name IS NOT NULL AND table_schema NOT IN ${others}
     ORDER BY 1, 2, 3, ordinal_position`,
  )
  for (const rows of grouped(references).values()) {
    const [{ s, t, ps, pt } = {} as RowDataPacket] = rows
    const [table, parent] = [tables.get(keyOf(s, t)), tables.get(keyOf(ps, pt))]
    if (table === undefined || parent === undefined) continue
    const reference = {
      columns: rows.map(({ c }) => c),
      table: parent.name,
      targets: rows.map(({ pc }) => pc),
    }
    table.references = [...(table.references ?? []), reference]
  }
  for (const { s, t, text } of await checksOf(read)) {
    const table = tables.get(keyOf(s, t))
    // MySQL shows quotes of texts with a backslash before them.
    if (table !== undefined) table.checks = [...(table.checks ?? []), String(text).replaceAll("\\'", "'")]
  }
  for (const { s, t, text } of await read(
    `SELECT table_schema AS s, table_name AS t, view_definition AS text FROM information_schema.views WHERE table_schema NOT IN ${others}`,
  )) {
    const table = tables.get(keyOf(s, t))
    if (table !== undefined) table.view = String(text ?? '')
  }
  return { tables: [...tables.values()] }
}

function columnOf({ c, y, n, g, collation, charset }: RowDataPacket): CatalogueColumn {
  return {
    name: c,
    type: String(y),
    ...(n === 'NO' ? { notNull: true as const } : {}),
    ...(typeof g === 'string' && g !== '' ? { generated: g } : {}),
    ...(typeof collation === 'string' && typeof charset === 'string'
      ? { collation, characterSet: charset }
      : {}),
  }
}

/** Returns the conditions of CHECK constraints; servers without them have none. */
async function checksOf(read: (sql: string) => Promise<RowDataPacket[]>): Promise<RowDataPacket[]> {
  const checks = 'information_schema.check_constraints'
  const attempts = [
    `SELECT constraint_schema AS s, table_name AS t, check_clause AS text FROM ${checks} WHERE constraint_schema NOT IN ${others}`,
    // MySQL names the table elsewhere, since names of constraints are unique in a schema.
    `SELECT c.constraint_schema AS s, o.table_name AS t, c.check_clause AS text FROM ${checks} c
     JOIN information_schema.table_constraints o ON o.constraint_schema = c.constraint_schema AND o.constraint_name = c.constraint_name
     WHERE c.constraint_schema NOT IN ${others}`,
  ]
  for (const attempt of attempts) {
    try {
      return await read(attempt)
    } catch (error) {
      if (!['ER_BAD_FIELD_ERROR', 'ER_UNKNOWN_TABLE'].includes(codeOf(error))) throw error
    }
  }
  return []
}

/** Groups rows of one constraint, in order. */
function grouped(rows: readonly RowDataPacket[]): Map<string, RowDataPacket[]> {
  const groups = new Map<string, RowDataPacket[]>()
  for (const row of rows) {
    const key = JSON.stringify([row['s'], row['t'], row['k']])
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return groups
}

function quoteIfNeeded(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoteName(name)
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

function keyOf(schema: string, table: string): string {
  return JSON.stringify([schema, table])
}
