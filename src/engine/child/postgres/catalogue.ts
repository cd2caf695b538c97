import type { Client } from 'pg'
import type { Catalogue, CatalogueTable } from '../../contract/engine.js'

interface ColumnRow {
  readonly schema: string
  readonly table: string
  /** As a query would write it. */
  readonly name: string
  readonly column: string
  readonly type: string
  readonly notNull: boolean
}

interface KeyRow {
  readonly schema: string
  readonly table: string
  readonly columns: readonly string[]
  readonly primary: boolean
}

const relations = `pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace`
const readable = `c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^pg_|^information_schema$'
  AND has_schema_privilege(n.oid, 'USAGE') AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))`

/** Lists what the role may read. */
export async function catalogueOf(client: Client): Promise<Catalogue> {
  const columns =
    await client.query<ColumnRow>(`SELECT n.nspname AS schema, c.relname AS table, a.attname AS column,
    CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE quote_ident(n.nspname) || '.' END || quote_ident(c.relname) AS name,
    format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS "notNull"
    FROM ${relations} JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE ${readable} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2, a.attnum`)
  const keys =
    await client.query<KeyRow>(`SELECT n.nspname AS schema, c.relname AS table, k.contype = 'p' AS primary,
    ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(num, at)
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.num ORDER BY u.at) AS columns
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype IN ('p', 'u') AND NOT k.condeferrable AND ${readable} ORDER BY 1, 2, k.contype, k.conname`)
  const tables = new Map<
    string,
    CatalogueTable & { columns: { name: string; type: string; notNull?: true }[] }
  >()
  for (const { schema, table, name, column, type, notNull } of columns.rows) {
    const key = keyOf(schema, table)
    const known = tables.get(key) ?? { name, columns: [] }
    tables.set(key, known)
    known.columns.push({ name: column, type, ...(notNull ? { notNull: true } : {}) })
  }
  for (const { schema, table, columns: of, primary } of keys.rows) {
    const known = tables.get(keyOf(schema, table))
    if (known !== undefined)
      tables.set(keyOf(schema, table), { ...known, keys: [...(known.keys ?? []), { columns: of, primary }] })
  }
  return { tables: [...tables.values()] }
}

function keyOf(schema: string, table: string): string {
  return JSON.stringify([schema, table])
}
