import { quoteName, quoteText } from '../quote.js'
import { periodOf } from './calendar.js'
import { parentsFirst } from './fuzz.js'
import type { FuzzTable } from './table.js'

/** A value to stand in a column of a copy. */
export interface PlacedValue {
  /** Plain lower-case names; a table of the default schema without it. May be a view. */
  readonly table: string
  readonly column: string
  readonly kind: 'text' | 'number'
  readonly text: string
}

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
  stored(value: PlacedValue, column: string, table: string): Promise<string | undefined> | string | undefined
  /** How an UPDATE begins that passes over rows which it must not change. */
  readonly update: string
}

/** Of each table, every such row takes values. */
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
  values: readonly PlacedValue[],
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
  values: readonly PlacedValue[],
): Promise<void> {
  const { quoted, rowKey, shape } = table
  // Rows are numbered anew: keys make poor numbers, for they may all be even.
  await target.run('DROP TABLE IF EXISTS temp.numbered')
  await target.run(
    `CREATE TEMP TABLE numbered AS SELECT ${rowKey.map((part, at) => `${part} AS key_${at}`).join(', ')}, row_number() OVER (ORDER BY ${rowKey.join(', ')}) - 1 AS n FROM ${quoted}`,
  )
  for (const [at, { name }] of shape.columns.entries()) {
    const wanted = values.filter((value) => value.column === name.toLowerCase())
    const literals = await fitting(target, quoted, quoteName(name), wanted)
    for (const [index, literal] of literals.entries()) {
      const isKey = shape.keys.some((key) => key.includes(at))
      const refers = shape.references.some(({ columns }) => columns.includes(at))
      const statements = [
        ...(isKey || refers ? inNewRows(table, at, literal, index) : []),
        // Which of a column's values a row gets depends on the column, so that all mixtures occur.
        ...(isKey
          ? []
          : [
              `${target.update} ${quoted} SET ${quoteName(name)} = ${literal} WHERE ${numbered(table, `n % ${everyRow} = 0 AND (${drawn(at)}) % ${literals.length + 1} = ${index}`)}`,
            ]),
      ]
      for (const sql of statements) await target.run(sql)
    }
  }
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

/** The value as both engines read it. */
export function literalOf({ kind, text }: PlacedValue): string {
  return kind === 'number' ? text : quoteText(text)
}

/** Literals of the values that look like those the column holds. */
async function fitting(
  target: PlaceTarget,
  table: string,
  column: string,
  values: readonly PlacedValue[],
): Promise<readonly string[]> {
  if (values.length === 0) return []
  const held = await target.texts(
    `SELECT DISTINCT CAST(${column} AS VARCHAR) FROM ${table} WHERE ${column} IS NOT NULL LIMIT ${mostTexts}`,
  )
  const literals: string[] = []
  if (held === undefined) return literals
  for (const value of values) {
    const stored = await target.stored(value, column, table)
    const literal = literalOf(value)
    if (stored !== undefined && looksLike(stored, value.kind, held) && !literals.includes(literal))
      literals.push(literal)
  }
  return literals
}

/**
 * Whether a value is one that the column could hold for all we know: a month among days, or a moment, is none, nor is a
 * fraction among whole numbers. Exported for tests.
 */
export function looksLike(text: string, kind: PlacedValue['kind'], held: readonly string[]): boolean {
  if (held.length === 0) return true
  if (held.every((other) => periodOf(other) !== undefined) && periodOf(text) === undefined) return false
  const form = formOf(text)
  const forms = new Set(held.map(formOf))
  if (kind === 'number' && form === 'fraction') return forms.has('fraction')
  // Zeros in front are those of a code, which has a length of its own.
  if (kind === 'number' && held.some((other) => /^0\d/u.test(other))) return forms.has(form)
  if (kind === 'number') return held.every((other) => /^-?\d/u.test(other))
  return forms.has(form)
}

/** What a text looks like: words, a number with a point, else its digits each as 9. */
function formOf(text: string): string {
  if (/^-?\d+\.\d+(?:e[+-]?\d+)?$/iu.test(text)) return 'fraction'
  return /\p{L}/u.test(text) ? 'words' : text.replaceAll(/\d/gu, '9')
}

/** Values of a column of a view as values of columns of that name, one of which is behind it as a rule. */
function behindViews(values: readonly PlacedValue[], tables: readonly PlaceTable[]): PlacedValue[] {
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
function withReferred(values: readonly PlacedValue[], tables: readonly PlaceTable[]): readonly PlacedValue[] {
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
