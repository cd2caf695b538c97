import type { ComparedLiteral } from '../../sql/index.js'
import type { Redistribution } from '../contract/copy-spec.js'
import { quoteName } from '../query/quote-names.js'
import { type CandidateLiterals, candidateLiterals, type StoredValue } from './candidate-literals.js'
import { checkLiterals } from './check-constraints.js'
import { resolveViewColumns, withReferencedColumns } from './compared-columns.js'
import { changeFrequentValues, picksWinner } from './frequent-values.js'
import { sortParentsFirst } from './fuzz.js'
import type { FuzzColumn } from './fuzz-table.js'
import { findInjectionPoints, type InjectionPoint } from './injection-points.js'
import type { InjectionTable, InjectionTarget } from './injection-target.js'
import { perturbScalar, unusedText } from './perturb-values.js'
import {
  injectedRowStride,
  type RankedTable,
  rankExpressions,
  redistributeValues,
} from './redistribute-values.js'
import { randomFrom } from './seeded-random.js'

/** Number of rows copied with a new value in the key. */
const copiedRows = 5
/** Maximal number of duplicated rows, one in three of the table's. */
const mostTwins = 300
/** Number of texts of a column read to determine its format. */
const mostTexts = 300

/**
 * Injects values that queries compare with into a copy, as the database may contain none of them: some rows
 * get those of all columns, so that combined conditions are satisfied. Then, if requested, redistributes the
 * other values that the queries read. Constraints are kept: a value that one prohibits is not written.
 */
export async function injectValues(
  target: InjectionTarget,
  tables: readonly InjectionTable[],
  values: readonly ComparedLiteral[],
  how?: Redistribution,
): Promise<void> {
  const all = withReferencedColumns(resolveViewColumns(values, tables), tables)
  const ordered = sortParentsFirst(tables.map(({ shape }) => ({ ...shape, rows: [] })))
  const told = new Map<string, RankedTable>()
  for (const { name } of ordered) {
    const table = tables.find(({ shape }) => shape.name === name)
    if (table === undefined) continue
    const own = all.filter((value) => value.table === table.name)
    if (own.length > 0) await injectIntoTable(target, table, own, how?.ignoresHabits === true)
    if (how !== undefined) {
      const ranks = await rankExpressions(target, table, own, told)
      told.set(name, { table, ranks })
      await redistributeValues(target, table, ranks, new Set(own.map(({ column }) => column)), how)
    }
    if (own.length === 0) continue
    const fresh = await freshKeys(target, table)
    await target.run(duplicateRowsStatement(table, fresh))
    const loose = await freshPartialKeys(target, table)
    if (loose.size > 0) await target.run(duplicateRowsStatement(table, new Map([...loose, ...fresh])))
  }
  if (how === undefined || how.ignoresHabits === true || !picksWinner(how.identifiers)) return
  for (const table of tables) await changeFrequentValues(target, table, how.identifiers, how.maximaIn)
}

async function injectIntoTable(
  target: InjectionTarget,
  table: InjectionTable,
  values: readonly ComparedLiteral[],
  ignoresHabits: boolean,
): Promise<void> {
  const { quoted, shape } = table
  await numberRows(target, table)
  const fresh = await freshKeys(target, table)
  for (const [at, column] of shape.columns.entries()) {
    const wanted = withCheckLiterals(
      values.filter((value) => value.column === column.name.toLowerCase()),
      [...checkLiterals(shape.checks, at), ...labelsOf(column)],
    )
    const isKey = shape.keys.some((key) => key.includes(at))
    const refers = shape.references.some(({ columns }) => columns.includes(at))
    const spots = await findInjectionPoints(target, quoted, column.name, wanted)
    for (const [index, spot] of spots.entries()) {
      const found = await findCandidateLiterals(target, quoted, spot, column, ignoresHabits)
      // DuckDB changes a list or struct by rewriting its row, and so cannot change a row that others refer
      // to.
      for (const [nth, literal] of [...found.named, ...found.around].entries())
        if (isNested(spot) || (spot.kind === 'column' && (isKey || refers)))
          for (const sql of insertStatements(table, fresh, at, spot.assignExpression(literal), nth))
            await target.run(sql)
      if (isKey) continue
      const place = { column, spot, seed: at + index * shape.columns.length }
      // Values named in queries come last, so that their neighbours overwrite none of their rows.
      for (const sqls of [
        updateStatements(target, table, place, found.around, `n % ${injectedRowStride} < 2`),
        updateStatements(target, table, place, found.named, `n % ${injectedRowStride} = 0`),
      ]) {
        for (const sql of sqls) await target.run(sql)
        // Rewritten rows have other positions, so that their numbers no longer match them.
        if (sqls.length > 0 && isNested(spot)) await numberRows(target, table)
      }
    }
  }
}

/**
 * Adds the values that CHECK constraints name: `status IN ('paid', 'refunded')` may be the only place that
 * has them.
 */
function withCheckLiterals(
  values: readonly ComparedLiteral[],
  texts: readonly string[],
): readonly ComparedLiteral[] {
  const [whole] = values.filter(({ kind, path }) => kind === 'text' && path === undefined)
  if (whole === undefined) return values
  const { table, column } = whole
  return [...values, ...texts.map((text): ComparedLiteral => ({ table, column, kind: 'text', text }))]
}

function labelsOf({ declared }: FuzzColumn): readonly string[] {
  return declared?.form.kind === 'label' ? declared.form.labels : []
}

/** Numbers the rows, from 0: keys make poor numbers, as all of them may be even. */
async function numberRows(target: InjectionTarget, { quoted, rowKey }: InjectionTable): Promise<void> {
  await target.run('DROP TABLE IF EXISTS temp.numbered')
  await target.run(
    `CREATE TEMP TABLE numbered AS SELECT ${rowKey.map((part, at) => `${part} AS key_${at}`).join(', ')}, row_number() OVER (ORDER BY ${rowKey.join(', ')}) - 1 AS n FROM ${quoted}`,
  )
}

function isNested({ kind }: InjectionPoint): boolean {
  return kind === 'list' || kind === 'struct'
}

/**
 * Expressions for the value of a single-column key in a new row, as SQL, given a number from 1 that is unique
 * among the new rows.
 */
type FreshKeyExpressions = ReadonlyMap<number, (number: string) => string>

async function freshKeys(target: InjectionTarget, table: InjectionTable): Promise<FreshKeyExpressions> {
  const keys = new Map<number, (number: string) => string>()
  for (const key of table.shape.keys) {
    const [at, ...others] = key
    const column = table.shape.columns[at ?? -1]
    if (at === undefined || column === undefined || others.length > 0) continue
    keys.set(at, column.nullable ? () => 'NULL' : await freshKeyExpression(target, table, column))
  }
  return keys
}

/** Returns the same for columns of which some values may occur twice. */
async function freshPartialKeys(
  target: InjectionTarget,
  table: InjectionTable,
): Promise<FreshKeyExpressions> {
  const keys = new Map<number, (number: string) => string>()
  for (const at of table.shape.partialKeys ?? []) {
    const column = table.shape.columns[at]
    if (column !== undefined) keys.set(at, await freshKeyExpression(target, table, column))
  }
  return keys
}

async function freshKeyExpression(
  target: InjectionTarget,
  { quoted }: InjectionTable,
  column: FuzzColumn,
): Promise<(number: string) => string> {
  const name = quoteName(column.name)
  const most = (await target.queryTexts(`SELECT CAST(max(${name}) AS VARCHAR) FROM ${quoted}`))?.[0]
  return /^\d+$/u.test(most ?? '')
    ? (number) => `(SELECT max(${name}) FROM ${quoted}) + ${number}`
    : (number) => `${name} || '~' || ((SELECT count(*) FROM ${quoted}) + ${number})`
}

/**
 * Returns a statement that duplicates rows with injected values under another key, for DISTINCT to have an
 * effect.
 */
function duplicateRowsStatement(
  { quoted, rowKey, shape }: InjectionTable,
  fresh: FreshKeyExpressions,
): string {
  const names = shape.columns.map(({ name }) => quoteName(name))
  const cells = names.map((name, at) => fresh.get(at)?.('twin_number') ?? name)
  const some = rowNumberCondition(rowKey, `n % ${injectedRowStride} = 0`)
  return `INSERT OR IGNORE INTO ${quoted} (${names.join(', ')}) SELECT ${cells.join(', ')} FROM (SELECT *, row_number() OVER () AS twin_number FROM ${quoted} WHERE ${some} LIMIT ${mostTwins}) twins`
}

/** Returns statements that write literals into a column of some rows, or into its content. */
function updateStatements(
  { updateClause }: InjectionTarget,
  table: InjectionTable,
  {
    column,
    spot,
    seed,
  }: { readonly column: FuzzColumn; readonly spot: InjectionPoint; readonly seed: number },
  literals: readonly string[],
  rows: string,
): string[] {
  // Which value a row gets depends on the column, so that all combinations occur.
  return literals.map((literal, index) => {
    const some = rowNumberCondition(
      table.rowKey,
      `${rows} AND (${pseudoRandomExpression(seed)}) % ${literals.length + 1} = ${index}`,
    )
    return `${updateClause} ${table.quoted} SET ${quoteName(column.name)} = ${spot.assignExpression(literal)} WHERE ${some} AND ${spot.condition}`
  })
}

/** Returns the condition that a row's number satisfies `condition`. */
function rowNumberCondition(rowKey: InjectionTable['rowKey'], condition: string): string {
  const keys = rowKey.map((_, at) => `key_${at}`).join(', ')
  return `(${rowKey.join(', ')}) IN (SELECT ${keys} FROM numbered WHERE ${condition})`
}

/**
 * Returns statements that insert rows like existing ones except for the value and the keys, and write the
 * value into one row.
 */
function insertStatements(
  table: InjectionTable,
  fresh: FreshKeyExpressions,
  at: number,
  literal: string,
  index: number,
): string[] {
  const { quoted, shape } = table
  const names = shape.columns.map(({ name }) => quoteName(name))
  const own = new Set(shape.keys.filter((key) => key.includes(at)).flat())
  const cells = names.map((name, column) => {
    if (column === at) return literal
    return own.has(column) ? name : (fresh.get(column)?.('row_number() OVER ()') ?? name)
  })
  const isUnique = shape.keys.some((key) => key.length === 1 && key.includes(at))
  const places = Array.from(
    { length: isUnique ? 1 : copiedRows },
    (_, row) => `${index + row * 7} % (SELECT count(*) FROM numbered)`,
  )
  const [first = ''] = places
  const rows = (condition: string): string => rowNumberCondition(table.rowKey, condition)
  return [
    `INSERT OR IGNORE INTO ${quoted} (${names.join(', ')}) SELECT ${cells.join(', ')} FROM ${quoted} WHERE ${rows(`n IN (${places.join(', ')})`)}`,
    `UPDATE ${quoted} SET ${names[at]} = ${literal} WHERE ${rows(`n = ${first}`)}`,
  ]
}

/** Returns a pseudo-random number from the row's number `n`, different for each column. */
function pseudoRandomExpression(column: number): string {
  return `((n + 1) * (n + 1 + ${(column + 1) * 7919}) % 65521) * 1103515245 % 2147483647`
}

/** Returns literals of the values that fit those of the column. */
async function findCandidateLiterals(
  target: InjectionTarget,
  table: string,
  { readExpression, values, kind }: InjectionPoint,
  column: FuzzColumn,
  ignoresHabits: boolean,
): Promise<CandidateLiterals> {
  const held = await target.queryTexts(
    `SELECT DISTINCT CAST(cell AS VARCHAR) FROM (SELECT ${readExpression} AS cell FROM ${table}) cells WHERE cell IS NOT NULL LIMIT ${mostTexts}`,
  )
  if (held === undefined) return { named: [], around: [] }
  const found: StoredValue[] = []
  for (const value of values) {
    // The column itself may contain no value that equals only a part.
    const stored = value.role === 'part' ? value.text : await target.storedText(value, readExpression, table)
    found.push({ value, stored })
  }
  // Fields of a struct and members of a list are plain values, whatever the column is.
  const near = kind === 'column' ? column.near : perturbScalar
  const other =
    kind === 'json' ? undefined : unusedText({ near }, held, values, randomFrom(`${table} ${readExpression}`))
  return candidateLiterals(found, held, {
    other,
    declared: kind === 'column' ? column.declared : undefined,
    ignoresHabits,
  })
}
