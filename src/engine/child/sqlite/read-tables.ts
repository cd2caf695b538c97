import type { Database } from '../../../platform/sqlite.js'
import { blank } from '../../../sql-text/scan.js'
import { stringLiteralsIn } from '../../fuzz/check-constraints.js'
import { nearCell } from '../../fuzz/forms/near-text.js'
import type { Check, DeclaredColumn, ForeignKey, FuzzColumn, FuzzTable } from '../../fuzz/fuzz-table.js'
import { freshScalars, perturbScalar } from '../../fuzz/perturb-values.js'
import { declaredColumns, factKey, factsTable } from './declared-columns.js'

/** A table of an SQLite database as declared. */
export interface SqliteTable {
  /** As queries name it, in lower case. */
  readonly name: string
  readonly sql: string
  /** Whether its rows have row ids. */
  readonly rowid: boolean
  readonly shape: Omit<FuzzTable, 'rows'>
}

export interface ColumnRow {
  readonly name: string
  readonly notnull: number
  /** Its position in the primary key, from 1; else 0. */
  readonly pk: number
}

interface ColumnListing extends ColumnRow {
  /** 0 for columns that can be inserted; generated columns and those of virtual tables cannot. */
  readonly hidden: number
}

interface ReferenceRow {
  readonly id: number
  readonly table: string
  readonly from: string
  /** Null for the parent's primary key. */
  readonly to: string | null
}

interface TableDeclaration {
  readonly name: string
  readonly columns: readonly ColumnRow[]
}

/** Returns the ordinary tables with their keys, references and the columns of their CHECK constraints. */
export function readTables(db: Database): SqliteTable[] {
  const listed = db
    .prepare<[string], { name: string; wr: number; sql: string }>(
      `SELECT t.name, t.wr, s.sql FROM pragma_table_list t JOIN sqlite_schema s ON s.name = t.name AND s.type = 'table'
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name <> ? ORDER BY s.rowid`,
    )
    .all(factsTable)
  const columnsOf = db.prepare<[string], ColumnListing>(
    'SELECT name, "notnull", pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid',
  )
  const facts = declaredColumns(db)
  const declared = listed.map(({ name }) => ({
    name,
    columns: columnsOf.all(name).filter((column) => column.hidden === 0),
  }))
  return listed.map(({ name, wr, sql }, at) => {
    const columns = declared[at]?.columns ?? []
    return {
      name: name.toLowerCase(),
      sql,
      rowid: wr === 0,
      shape: {
        name,
        columns: columns.map((column) => toColumn(column, facts.get(factKey(name, column.name)))),
        keys: keysOf(db, name, columns),
        partialKeys: partialKeysOf(db, name, columns),
        references: referencesOf(db, name, columns, declared),
        checks: parseCheckConstraints(sql, columns),
      },
    }
  })
}

function toColumn(column: ColumnRow, declared: DeclaredColumn | undefined): FuzzColumn {
  const nullable = column.notnull === 0 && column.pk === 0
  if (declared !== undefined)
    return { name: column.name, nullable, declared, near: nearCell(declared.form), fresh: freshScalars }
  return {
    name: column.name,
    nullable,
    near(cell, random) {
      const near = perturbScalar(cell, random)
      return typeof near === 'bigint' ? BigInt.asIntN(64, near) : near
    },
    fresh: freshScalars,
  }
}

/** Returns the primary key and unique constraints of a table, as positions of its columns. */
export function keysOf(db: Database, table: string, columns: readonly ColumnRow[]): number[][] {
  const primary = [...columns.entries()]
    .filter(([, column]) => column.pk > 0)
    .sort(([, a], [, b]) => a.pk - b.pk)
    .map(([at]) => at)
  const indexes = db
    .prepare<[string], string>(
      `SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 AND partial = 0 AND origin <> 'pk'`,
    )
    .pluck()
    .all(table)
  const namesOf = db.prepare<[string], string | null>('SELECT name FROM pragma_index_info(?)').pluck()
  const unique = indexes.flatMap((index) => {
    const found = positions(namesOf.all(index), columns)
    return found === undefined ? [] : [found]
  })
  return primary.length === 0 ? unique : [primary, ...unique]
}

/** Returns columns in the parentheses of unique indexes on some rows only, or on expressions. */
function partialKeysOf(db: Database, table: string, columns: readonly ColumnRow[]): number[] {
  const indexes = db
    .prepare<[string], string>(
      `SELECT sql FROM sqlite_schema s JOIN pragma_index_list(?) l ON l.name = s.name
       WHERE l."unique" = 1 AND (partial = 1 OR EXISTS (SELECT 1 FROM pragma_index_info(l.name) WHERE name IS NULL))`,
    )
    .pluck()
    .all(table)
  const indexed = indexes.map((sql) => /\((.*?)\)\s*(?:where\b|$)/isu.exec(sql)?.[1] ?? '').join(' ')
  return columnsIn(indexed, columns)
}

function referencesOf(
  db: Database,
  table: string,
  columns: readonly ColumnRow[],
  tables: readonly TableDeclaration[],
): ForeignKey[] {
  const rows = db
    .prepare<[string], ReferenceRow>(
      'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    )
    .all(table)
  const ids = [...new Set(rows.map((row) => row.id))]
  return ids.flatMap((id) => {
    const parts = rows.filter((row) => row.id === id)
    const parent = tables.find((other) => equalsIgnoreCase(other.name, parts[0]?.table))
    const own = positions(
      parts.map((part) => part.from),
      columns,
    )
    if (parent === undefined || own === undefined) return []
    const implied = parent.columns.filter((column) => column.pk > 0).map((column) => column.name)
    const named = parts.map((part, at) => part.to ?? implied[at] ?? null)
    const targets = positions(named, parent.columns)
    return targets === undefined ? [] : [{ columns: own, table: parent.name, targets }]
  })
}

/** Returns positions of columns by name; undefined if one is an expression or does not exist. */
function positions(names: readonly (string | null)[], columns: readonly ColumnRow[]): number[] | undefined {
  const found = names.map((name) =>
    columns.findIndex((column) => equalsIgnoreCase(column.name, name ?? undefined)),
  )
  return found.includes(-1) ? undefined : found
}

function equalsIgnoreCase(a: string, b: string | undefined): boolean {
  return a.toLowerCase() === b?.toLowerCase()
}

/**
 * Reads CHECK (…) constraints word by word. A string that looks like a name adds a superfluous column, which
 * does no harm.
 */
function parseCheckConstraints(sql: string, columns: readonly ColumnRow[]): Check[] {
  return checkConditions(sql).map((condition) => {
    return { columns: columnsIn(condition, columns), texts: stringLiteralsIn(condition) }
  })
}

/** Returns columns that are named in an expression. */
function columnsIn(expression: string, columns: readonly ColumnRow[]): number[] {
  const plain = blank(expression, 'sqlite').toLowerCase()
  const words = new Set(plain.split(/[^\p{L}\p{N}_$]+/u))
  const named = [...columns.entries()].filter(([, { name }]) => {
    const lower = name.toLowerCase()
    return words.has(lower) || (!/^[\p{L}\p{N}_$]+$/u.test(lower) && plain.includes(lower))
  })
  return named.map(([at]) => at)
}

function checkConditions(sql: string): string[] {
  const plain = blank(sql, 'sqlite')
  const found: string[] = []
  for (const match of plain.matchAll(/\bcheck\s*\(/gi)) {
    const start = match.index + match[0].length
    let depth = 1
    let end = start
    while (end < plain.length && depth > 0) {
      if (plain[end] === '(') depth++
      else if (plain[end] === ')') depth--
      end++
    }
    found.push(sql.slice(start, end - 1))
  }
  return found
}
