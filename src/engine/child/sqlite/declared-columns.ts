import type { Database } from '../../../platform/sqlite.js'
import type { DeclaredColumn } from '../../fuzz/fuzz-table.js'
import { quoteName, quoteText } from '../../query/quote-names.js'

/**
 * Table of a sample that says what a server declares of the columns: SQLite has none of its types. No query reads it.
 */
export const factsTable = 'autotest_declared_columns'

/** Returns the statements that write what is declared. */
export function declarationStatements(
  columns: readonly (readonly [table: string, column: string, declared: DeclaredColumn])[],
): readonly string[] {
  const rows = columns.map(
    ([table, column, declared]) =>
      `(${quoteText(factKey(table, column))}, ${quoteText(JSON.stringify(declared))})`,
  )
  return [
    `CREATE TABLE ${quoteName(factsTable)} (name, declared)`,
    ...(rows.length === 0 ? [] : [`INSERT INTO ${quoteName(factsTable)} VALUES ${rows.join(', ')}`]),
  ]
}

/** Returns what is declared of the columns, by \`factKey\`; nothing of a database of the user. */
export function declaredColumns(db: Database): ReadonlyMap<string, DeclaredColumn> {
  const isThere = db
    .prepare<[string], number>('SELECT 1 FROM sqlite_schema WHERE name = ?')
    .pluck()
    .get(factsTable)
  if (isThere === undefined) return new Map()
  const rows = db
    .prepare<[], { name: string; declared: string }>(`SELECT name, declared FROM ${quoteName(factsTable)}`)
    .all()
  return new Map(rows.map(({ name, declared }) => [name, JSON.parse(declared)]))
}

/** Writes what is declared of one database to another. */
export function copyDeclarations(from: Database, to: Database): void {
  const facts = declaredColumns(from)
  if (facts.size === 0) return
  to.exec(`CREATE TABLE ${quoteName(factsTable)} (name, declared)`)
  const insert = to.prepare(`INSERT INTO ${quoteName(factsTable)} VALUES (?, ?)`)
  for (const [name, declared] of facts) insert.run(name, JSON.stringify(declared))
}

export function factKey(table: string, column: string): string {
  return JSON.stringify([table, column])
}
