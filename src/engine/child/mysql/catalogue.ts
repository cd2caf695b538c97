import type { Connection, RowDataPacket } from 'mysql2/promise'
import type { Catalogue, CatalogueTable } from '../../contract/engine.js'

const others = `('information_schema', 'mysql', 'performance_schema', 'sys')`

/** Lists what the user may read. */
export async function catalogueOf(connection: Connection): Promise<Catalogue> {
  const [columns] = await connection.query<RowDataPacket[]>(
    `SELECT table_schema AS s, table_name AS t, column_name AS c, column_type AS y, is_nullable AS n, table_schema <=> database() AS here
     FROM information_schema.columns WHERE table_schema NOT IN ${others} ORDER BY 1, 2, ordinal_position`,
  )
  const [keys] = await connection.query<RowDataPacket[]>(
    `SELECT table_schema AS s, table_name AS t, index_name AS k, column_name AS c
     FROM information_schema.statistics WHERE non_unique = 0 AND sub_part IS NULL AND table_schema NOT IN ${others}
     ORDER BY 1, 2, index_name <> 'PRIMARY', 3, seq_in_index`,
  )
  const tables = new Map<
    string,
    CatalogueTable & { columns: { name: string; type: string; notNull?: true }[] }
  >()
  for (const { s, t, c, y, n, here } of columns) {
    const name = Number(here) === 1 ? quoteIfNeeded(t) : `${quoteIfNeeded(s)}.${quoteIfNeeded(t)}`
    const known = tables.get(keyOf(s, t)) ?? { name, columns: [] }
    tables.set(keyOf(s, t), known)
    known.columns.push({ name: c, type: String(y), ...(n === 'NO' ? { notNull: true as const } : {}) })
  }
  const keyColumns = new Map<string, { table: string; primary: boolean; columns: string[] }>()
  for (const { s, t, k, c } of keys) {
    const id = JSON.stringify([s, t, k])
    const known = keyColumns.get(id) ?? { table: keyOf(s, t), primary: k === 'PRIMARY', columns: [] }
    keyColumns.set(id, known)
    known.columns.push(c)
  }
  for (const { table, primary, columns: of } of keyColumns.values()) {
    const known = tables.get(table)
    if (known !== undefined)
      tables.set(table, { ...known, keys: [...(known.keys ?? []), { columns: of, primary }] })
  }
  return { tables: [...tables.values()] }
}

function quoteIfNeeded(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
}

function keyOf(schema: string, table: string): string {
  return JSON.stringify([schema, table])
}
