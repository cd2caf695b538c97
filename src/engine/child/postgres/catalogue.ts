import type { Client } from 'pg'
import type { Catalogue, CatalogueColumn, CatalogueTable } from '../../contract/engine.js'
import { quoteName } from '../../query/quote-names.js'

/** Identifiers of relations are unique in a database. */
interface OfTable {
  readonly id: number
}

interface ColumnRow extends OfTable {
  /** As a query would write it. */
  readonly table: string
  readonly view: string | null
  readonly column: string
  readonly type: string
  readonly notNull: boolean
  readonly generated: string | null
  readonly collation: string | null
  readonly base: string | null
  readonly labels: readonly string[] | null
  /** Of a domain, with VALUE for the column. */
  readonly conditions: readonly string[]
  readonly domainNotNull: boolean
}

interface KeyRow extends OfTable {
  readonly columns: readonly string[]
  readonly kind: 'primary' | 'unique' | 'partial'
}

interface ConstraintRow extends OfTable {
  readonly columns: readonly string[]
  readonly parent: number
  readonly targets: readonly string[]
  /** Of a CHECK; null for a reference. */
  readonly condition: string | null
}

/** What is known of a table, while it is read. */
type Table = { -readonly [Key in keyof CatalogueTable]: CatalogueTable[Key] } & { columns: CatalogueColumn[] }

const readable = `c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^pg_|^information_schema$'
  AND has_schema_privilege(n.oid, 'USAGE') AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))`

/** @param numbers SQL of an array of column numbers */
function columnNames(numbers: string, table: string): string {
  return `ARRAY(SELECT a.attname::text FROM unnest(${numbers}) WITH ORDINALITY AS u(num, at)
    JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = u.num ORDER BY u.at)`
}

/** Lists what the role may read. Columns of the system tables that older servers lack are read by way of JSON. */
export async function catalogueOf(client: Client): Promise<Catalogue> {
  const tables = await tablesOf(client)
  for (const { id, columns, kind } of await keysOf(client)) {
    const table = tables.get(id)
    if (table === undefined) continue
    if (kind === 'partial') table.partialKeys = [...(table.partialKeys ?? []), ...columns]
    else table.keys = [...(table.keys ?? []), { columns, primary: kind === 'primary' }]
  }
  const constraints = await client.query<ConstraintRow>(`SELECT c.oid AS id, k.confrelid AS parent,
    ${columnNames('k.conkey', 'k.conrelid')} AS columns, ${columnNames('k.confkey', 'k.confrelid')} AS targets,
    CASE WHEN k.contype = 'c' THEN pg_get_expr(k.conbin, k.conrelid) END AS condition
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype IN ('c', 'f') AND ${readable} ORDER BY 1, k.conname`)
  for (const { id, columns, parent, targets, condition } of constraints.rows) {
    const [table, referred] = [tables.get(id), tables.get(parent)]
    if (table !== undefined && condition !== null) table.checks = [...(table.checks ?? []), condition]
    if (table !== undefined && referred !== undefined && condition === null)
      table.references = [...(table.references ?? []), { columns, table: referred.name, targets }]
  }
  return { tables: [...tables.values()] }
}

async function tablesOf(client: Client): Promise<Map<number, Table>> {
  const { rows } = await client.query<ColumnRow>(`SELECT c.oid AS id, a.attname AS column,
    CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE quote_ident(n.nspname) || '.' END || quote_ident(c.relname) AS table,
    format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS "notNull",
    CASE WHEN c.relkind IN ('v', 'm') AND a.attnum = 1 THEN pg_get_viewdef(c.oid) END AS view,
    CASE WHEN to_jsonb(a) ->> 'attgenerated' <> '' THEN pg_get_expr(d.adbin, d.adrelid) END AS generated,
    CASE WHEN a.attcollation <> t.typcollation THEN quote_ident(cn.nspname) || '.' || quote_ident(co.collname) END AS collation,
    CASE WHEN t.typtype = 'd' THEN format_type(b.base, b.mod) END AS base,
    (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = coalesce(b.base, t.oid)) AS labels,
    ARRAY(SELECT pg_get_expr(k.conbin, 0) FROM pg_constraint k WHERE k.contype = 'c' AND k.contypid = ANY (b.chain)) AS conditions,
    coalesce(b.not_null, false) AS "domainNotNull"
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_collation co ON co.oid = a.attcollation LEFT JOIN pg_namespace cn ON cn.oid = co.collnamespace
    LEFT JOIN LATERAL (WITH RECURSIVE d(oid, base, mod, nn) AS (
      SELECT t.oid, t.typbasetype, CASE WHEN t.typtypmod >= 0 THEN t.typtypmod ELSE a.atttypmod END, t.typnotnull WHERE t.typtype = 'd'
      UNION ALL SELECT n.oid, n.typbasetype, n.typtypmod, n.typnotnull FROM d JOIN pg_type n ON n.oid = d.base WHERE n.typtype = 'd')
      SELECT array_agg(d.oid) AS chain, bool_or(d.nn) AS not_null,
        (SELECT l.base FROM d l JOIN pg_type lt ON lt.oid = l.base WHERE lt.typtype <> 'd') AS base, max(d.mod) AS mod FROM d) b ON t.typtype = 'd'
    WHERE ${readable} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY n.nspname, c.relname, a.attnum`)
  const tables = new Map<number, Table>()
  for (const row of rows) {
    const known: Table = tables.get(row.id) ?? { name: row.table, columns: [] }
    tables.set(row.id, known)
    if (row.view !== null) known.view = row.view.replace(/;\s*$/, '')
    const conditions = row.conditions.map((each) => each.replaceAll(/\bVALUE\b/gu, quoteName(row.column)))
    if (conditions.length > 0) known.checks = [...(known.checks ?? []), ...conditions]
    known.columns.push({
      name: row.column,
      type: row.type,
      ...(row.notNull || row.domainNotNull ? { notNull: true } : {}),
      ...(row.base === null ? {} : { base: row.base }),
      ...(row.labels === null ? {} : { labels: row.labels }),
      ...(row.generated === null ? {} : { generated: row.generated }),
      ...(row.collation === null ? {} : { collation: row.collation }),
    })
  }
  return tables
}

/** Returns unique indexes; those whose check may be deferred are none while a transaction runs. */
async function keysOf(client: Client): Promise<readonly KeyRow[]> {
  const { rows } = await client.query<KeyRow>(`SELECT c.oid AS id,
    CASE WHEN i.indpred IS NOT NULL OR i.indexprs IS NOT NULL OR i.indisexclusion OR NOT i.indimmediate THEN 'partial'
      WHEN i.indisprimary THEN 'primary' ELSE 'unique' END AS kind,
    ${columnNames(`(i.indkey::int2[])[0:coalesce((to_jsonb(i) ->> 'indnkeyatts')::int, i.indnatts) - 1]`, 'c.oid')} AS columns
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE (i.indisunique OR i.indisexclusion) AND i.indisvalid AND ${readable} ORDER BY 1, 2, i.indexrelid`)
  return rows
}
