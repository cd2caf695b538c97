import { declarationStatements } from '../../../engine/child/sqlite/declared-columns.js'
import { quoteName, quoteText } from '../../../engine/query/quote-names.js'
import { plainName } from '../../../sql/index.js'
import type { SampledColumn, SampledTable } from './sample-tables.js'

/** Rows of one INSERT. */
const rowsAtOnce = 200

/**
 * Returns a script of SQLite that holds the sampled tables with their keys and references: fuzzed copies are made of it.
 * Columns have no type there; numbers are numbers, and all else is a text that the engine's type reads.
 */
export function stagingScript(tables: readonly SampledTable[]): string {
  const statements = tables.flatMap((table) => [
    definitionOf(table, tables),
    ...partialIndexes(table),
    ...inserts(table),
  ])
  // A sample of a child may come before that of its parent, and lack rows that it refers to.
  const declared = tables.flatMap(({ name, columns }) =>
    columns.map(
      ({ name: column, type, habit }) => [name, column, { form: type.form, habit: habit?.habit }] as const,
    ),
  )
  return ['PRAGMA foreign_keys = OFF', ...declarationStatements(declared), ...statements].join(';\n')
}

function definitionOf({ name, table, columns }: SampledTable, all: readonly SampledTable[]): string {
  const has = (names: readonly string[]): boolean =>
    names.every((each) => columns.some((column) => column.name === each))
  const list = (names: readonly string[]): string => names.map(quoteName).join(', ')
  const keys = (table.keys ?? []).filter((key) => key.columns.length > 0 && has(key.columns))
  const references = (table.references ?? []).flatMap((reference) => {
    const parent = all.find((other) => other.name === plainName(reference.table))
    const isKnown =
      parent !== undefined &&
      reference.targets.every((each) => parent.columns.some((column) => column.name === each))
    return isKnown && has(reference.columns) ? [{ ...reference, parent: parent.name }] : []
  })
  return `CREATE TABLE ${quoteName(name)} (${[
    ...columns.map((column) => columnOf(column, table)),
    ...keys.map((key) => `${key.primary ? 'PRIMARY KEY' : 'UNIQUE'} (${list(key.columns)})`),
    ...references.map(
      ({ columns: own, parent, targets }) =>
        `FOREIGN KEY (${list(own)}) REFERENCES ${quoteName(parent)} (${list(targets)})`,
    ),
  ].join(', ')})`
}

function columnOf({ name, nullable }: SampledColumn, table: SampledTable['table']): string {
  const found = table.columns.find((column) => column.name === name)
  // In a key, such texts that differ in case alone are one.
  const ignoresCase = /_ci$/iu.test(found?.collation ?? '') || found?.type === 'citext'
  return `${quoteName(name)}${nullable ? '' : ' NOT NULL'}${ignoresCase ? ' COLLATE NOCASE' : ''}`
}

/** Columns of partial unique indexes, of which a copy must not repeat values at will. */
function partialIndexes({ name, table, columns }: SampledTable): string[] {
  const known = (table.partialKeys ?? []).filter((each) => columns.some((column) => column.name === each))
  return known.map(
    (column) =>
      `CREATE UNIQUE INDEX ${quoteName(`${name} ${column} partial`)} ON ${quoteName(name)} (${quoteName(column)}) WHERE 0`,
  )
}

function inserts({ name, columns, rows }: SampledTable): string[] {
  const statements: string[] = []
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const values = rows
      .slice(from, from + rowsAtOnce)
      .map((row) => `(${row.map((cell, at) => literalOf(cell, columns[at])).join(', ')})`)
    statements.push(`INSERT OR IGNORE INTO ${quoteName(name)} VALUES ${values.join(', ')}`)
  }
  return statements
}

function literalOf(cell: string | null, column: SampledColumn | undefined): string {
  if (cell === null) return 'NULL'
  // Longer ones would lose digits.
  const isExact = /^-?(?:\d{1,18}|(?=[\d.]{3,16}$)\d+\.\d+)$/u.test(cell)
  if (column?.isNumeric === true && isExact) return cell
  return quoteText(cell.replaceAll('\0', ''))
}
