import type { ComparedValue } from '../../sql/compared-values.js'
import { quoteName } from '../quote.js'
import { type FittingLiterals, fittingLiterals, type StoredValue } from './fitting.js'
import { parentsFirst } from './fuzz.js'
import type { FuzzTable } from './table.js'

export interface PlaceTable {
  /** As in values. */
  readonly name: string
  /** As statements name it. */
  readonly quoted: string
  /** What tells its rows apart, as statements name it: `rowid`, or the columns of a key. */
  readonly rowKey: readonly string[]
  readonly shape: Omit<FuzzTable, 'rows'>
}

/** A writable copy. */
export interface PlaceTarget {
  /** Runs a statement; one that the database refuses changes nothing. */
  run(sql: string): Promise<void> | void
  /** First cells of the rows, as texts; undefined where the database refuses to show them. */
  texts(sql: string): Promise<readonly string[] | undefined> | readonly string[] | undefined
  /** What the column of the table would hold of the value, as a text; undefined where it cannot. */
  stored(
    value: ComparedValue,
    column: string,
    table: string,
  ): Promise<string | undefined> | string | undefined
  /** How an UPDATE begins that passes over rows which it must not change. */
  readonly update: string
}

/** Of each table, every such row takes values that are named; it and the next take those around them. */
const everyRow = 3
/** Rows copied with a value in place of the key's own. */
const copiedRows = 3
/** Tables with a column that a view may show. */
const mostBehindView = 8
/** Texts of a column looked at to tell what it holds. */
const mostTexts = 300

/**
 * Writes values that queries ask for into a copy, where the database may hold none of them: into some rows those of all
 * columns, so that conditions hold together. Constraints stay as they are: what one forbids is not written.
 */
export async function placeValues(
  target: PlaceTarget,
  tables: readonly PlaceTable[],
  values: readonly ComparedValue[],
): Promise<void> {
  const all = withReferred(behindViews(values, tables), tables)
  const ordered = parentsFirst(tables.map(({ shape }) => ({ ...shape, rows: [] })))
  for (const { name } of ordered) {
    const table = tables.find(({ shape }) => shape.name === name)
    const own = all.filter((value) => value.table === table?.name)
    if (table !== undefined && own.length > 0) await placeInTable(target, table, own)
  }
}

async function placeInTable(
  target: PlaceTarget,
  table: PlaceTable,
  values: readonly ComparedValue[],
): Promise<void> {
  const { quoted, rowKey, shape } = table
  // Rows are numbered anew: keys make poor numbers, for they may all be even.
  await target.run('DROP TABLE IF EXISTS temp.numbered')
  await target.run(
    `CREATE TEMP TABLE numbered AS SELECT ${rowKey.map((part, at) => `${part} AS key_${at}`).join(', ')}, row_number() OVER (ORDER BY ${rowKey.join(', ')}) - 1 AS n FROM ${quoted}`,
  )
  for (const [at, { name }] of shape.columns.entries()) {
    const wanted = values.filter((value) => value.column === name.toLowerCase())
    const { named, around } = await fitting(target, quoted, quoteName(name), wanted)
    const isKey = shape.keys.some((key) => key.includes(at))
    const refers = shape.references.some(({ columns }) => columns.includes(at))
    const statements = [...named, ...around].flatMap((literal, index) =>
      isKey || refers ? inNewRows(table, at, literal, index) : [],
    )
    // Values that are named come last, so that those around them take none of their rows.
    if (!isKey)
      statements.push(
        ...written(target, table, at, around, `n % ${everyRow} < 2`),
        ...written(target, table, at, named, `n % ${everyRow} = 0`),
      )
    for (const sql of statements) await target.run(sql)
  }
}

/** Statements that write literals into a column of some rows. */
function written(
  { update }: PlaceTarget,
  table: PlaceTable,
  at: number,
  literals: readonly string[],
  rows: string,
): string[] {
  const name = quoteName(table.shape.columns[at]?.name ?? '')
  // Which of a column's values a row gets depends on the column, so that all mixtures occur.
  return literals.map(
    (literal, index) =>
      `${update} ${table.quoted} SET ${name} = ${literal} WHERE ${numbered(table, `${rows} AND (${drawn(at)}) % ${literals.length + 1} = ${index}`)}`,
  )
}

/** That a row's number satisfies the condition. */
function numbered({ rowKey }: PlaceTable, condition: string): string {
  const keys = rowKey.map((_, at) => `key_${at}`).join(', ')
  return `(${rowKey.join(', ')}) IN (SELECT ${keys} FROM numbered WHERE ${condition})`
}

/** Rows like others but for the value and their keys; where these cannot be, one row takes the value itself. */
function inNewRows(table: PlaceTable, at: number, literal: string, index: number): string[] {
  const { quoted, shape } = table
  const name = (column: number): string => quoteName(shape.columns[column]?.name ?? '')
  const own = new Set(shape.keys.filter((key) => key.includes(at)).flat())
  const cells = shape.columns.map(({ nullable }, column) => {
    if (column === at) return literal
    const isAlone = shape.keys.some((key) => key.length === 1 && key[0] === column)
    if (own.has(column) || !isAlone) return name(column)
    return nullable ? 'NULL' : `(SELECT max(${name(column)}) + 1 FROM ${quoted})`
  })
  const names = shape.columns.map((_, column) => name(column))
  return Array.from({ length: copiedRows }, (_, row) => {
    const one = numbered(table, `n = ${index + row * 7} % (SELECT count(*) FROM numbered)`)
    return [
      `INSERT INTO ${quoted} (${names.join(', ')}) SELECT ${cells.join(', ')} FROM ${quoted} WHERE ${one}`,
      `UPDATE ${quoted} SET ${name(at)} = ${literal} WHERE ${one}`,
    ]
  }).flat()
}

/** A number from the row's number `n` that looks random, and another for another column. */
function drawn(column: number): string {
  return `((n + 1) * (n + 1 + ${(column + 1) * 7919}) % 65521) * 1103515245 % 2147483647`
}

/** Literals of the values that look like those the column holds. */
async function fitting(
  target: PlaceTarget,
  table: string,
  column: string,
  values: readonly ComparedValue[],
): Promise<FittingLiterals> {
  const none = { named: [], around: [] }
  if (values.length === 0) return none
  const held = await target.texts(
    `SELECT DISTINCT CAST(${column} AS VARCHAR) FROM ${table} WHERE ${column} IS NOT NULL LIMIT ${mostTexts}`,
  )
  if (held === undefined) return none
  const found: StoredValue[] = []
  for (const value of values) {
    // Of a part of a value, the column itself may hold nothing.
    const stored = value.role === 'part' ? value.text : await target.stored(value, column, table)
    found.push({ value, stored })
  }
  return fittingLiterals(found, held)
}

/** Values of a column of a view as values of columns of that name, one of which is behind it as a rule. */
function behindViews(values: readonly ComparedValue[], tables: readonly PlaceTable[]): ComparedValue[] {
  const names = new Set(tables.map(({ name }) => name))
  return values.flatMap((value) => {
    if (names.has(value.table)) return [value]
    const behind = tables.filter(({ shape }) =>
      shape.columns.some(({ name }) => name.toLowerCase() === value.column),
    )
    return behind.slice(0, mostBehindView).map(({ name }) => ({ ...value, table: name }))
  })
}

/** Also for the columns that a foreign key refers to. */
function withReferred(
  values: readonly ComparedValue[],
  tables: readonly PlaceTable[],
): readonly ComparedValue[] {
  const all = [...values]
  for (const value of all) {
    const table = tables.find(({ name }) => name === value.table)
    for (const { columns, table: to, targets } of table?.shape.references ?? []) {
      const at = columns.findIndex(
        (column) => table?.shape.columns[column]?.name.toLowerCase() === value.column,
      )
      const parent = tables.find(({ shape }) => shape.name === to)
      const column = parent?.shape.columns[targets[at] ?? -1]?.name.toLowerCase()
      if (parent === undefined || column === undefined) continue
      const known = all.some(
        (other) => other.table === parent.name && other.column === column && other.text === value.text,
      )
      if (!known) all.push({ ...value, table: parent.name, column })
    }
  }
  return all
}
