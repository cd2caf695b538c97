import type { CatalogueTable, Engine, QueryLimits } from '../../../engine/contract/engine.js'
import { randomFrom } from '../../../engine/fuzz/seeded-random.js'
import type { Dialect } from '../../../enums/dialect.js'
import { bitsOf, formOf, parseType } from './column-forms.js'
import { quoteNameIn } from './quote-in-dialect.js'
import { readRows, type Texts } from './read-rows.js'

/** Where a large table with a numeric key is read, and how many rows are taken at each place. */
const places = 100
/** Of the rows that are taken, one in so many is among the newest, and as many among the oldest. */
const endShare = 10

/** Rows that stand for a table. */
export interface RepresentativeRows {
  readonly rows: readonly Texts[]
  /** There are no others. */
  readonly isWhole: boolean
}

/**
 * Reads rows that stand for a table: all of a small one; of others, the newest, the oldest and some from all over it, in an
 * order that is always the same. Undefined where the table may not be read.
 *
 * @param select SELECT and FROM, with the columns that are wanted
 */
export async function representativeRows(
  engine: Pick<Engine, 'dialect' | 'query'>,
  table: CatalogueTable,
  select: string,
  most: number,
  limits: QueryLimits,
): Promise<RepresentativeRows | undefined> {
  const read = (rest: string): Promise<Texts[] | undefined> => readRows(engine, `${select} ${rest}`, limits)
  const first = await read(`LIMIT ${most + 1}`)
  if (first === undefined || first.length <= most) return first && { rows: first, isWhole: true }
  const { dialect } = engine
  const order = orderingColumn(table, dialect)
  const ends = Math.floor(most / endShare)
  const rows: Texts[] = []
  if (order !== undefined) {
    rows.push(...((await read(`ORDER BY ${order} DESC LIMIT ${ends}`)) ?? []))
    rows.push(...((await read(`ORDER BY ${order} LIMIT ${ends}`)) ?? []))
  }
  const scattered =
    (await fromAllOver(engine, table, select, most - rows.length, limits)) ??
    (await read(`${hashOrder(table, dialect)} LIMIT ${most - rows.length}`))
  rows.push(...(scattered ?? []))
  return {
    rows: rows.length > most / 2 ? rows : [...rows, ...first.slice(0, most - rows.length)],
    isWhole: false,
  }
}

/** Returns rows at keys that are spread over the range of a numeric key, by its index; undefined for other tables and engines. */
async function fromAllOver(
  engine: Pick<Engine, 'dialect' | 'query'>,
  table: CatalogueTable,
  select: string,
  most: number,
  limits: QueryLimits,
): Promise<Texts[] | undefined> {
  const { dialect } = engine
  const key = singleKey(table)
  const column = table.columns.find(({ name }) => name === key)
  const isIndexed = dialect === 'postgres' || dialect === 'mysql'
  if (!isIndexed || column === undefined || bitsOf[parseType(column.base ?? column.type).name] === undefined)
    return undefined
  const name = quoteNameIn(column.name, dialect)
  const [range] =
    (await readRows(engine, `SELECT min(${name}), max(${name}) FROM ${table.name}`, limits)) ?? []
  const [least, greatest] = [BigInt(range?.[0] ?? 0), BigInt(range?.[1] ?? 0)]
  const random = randomFrom(`sample/${table.name}`)
  const share = Math.max(1, Math.ceil(most / places))
  const parts = Array.from({ length: Math.min(places, most) }, () => {
    const from = least + ((greatest - least) * BigInt(Math.floor(random.next() * 1e9))) / 1_000_000_000n
    return `(${select} WHERE ${name} >= ${from} ORDER BY ${name} LIMIT ${share})`
  })
  return readRows(engine, parts.join(' UNION ALL '), limits)
}

/** Returns a column whose order is that in which rows come: a key of one column, or the first moment. */
function orderingColumn(table: CatalogueTable, dialect: Dialect): string | undefined {
  const moment = table.columns.find((column) => ['date', 'timestamp'].includes(formOf(column, dialect).kind))
  const key = singleKey(table)
  const column = table.columns.find(({ name }) => name === key)
  const isNumeric = column !== undefined && formOf(column, dialect).kind === 'integer'
  const name = isNumeric ? column.name : (moment?.name ?? key)
  return name === undefined ? undefined : quoteNameIn(name, dialect)
}

export function singleKey({ keys = [] }: CatalogueTable): string | undefined {
  const single = keys.filter(({ columns }) => columns.length === 1)
  return (single.find(({ primary }) => primary) ?? single[0])?.columns[0]
}

/** Returns an order that has nothing to do with the values, and is the same for the same rows. */
function hashOrder(table: CatalogueTable, dialect: Dialect): string {
  const key = (table.keys?.find(({ primary }) => primary) ?? table.keys?.[0])?.columns
  const plain = table.columns.filter(
    (column) =>
      column.generated === undefined &&
      ['integer', 'decimal', 'text', 'date', 'timestamp', 'boolean', 'double'].includes(
        formOf(column, dialect).kind,
      ),
  )
  const columns = (key ?? plain.map(({ name }) => name)).map((name) => quoteNameIn(name, dialect))
  if (columns.length === 0) return ''
  const asText = (type: string): string =>
    columns.map((name) => `coalesce(CAST(${name} AS ${type}), '')`).join(", '|', ")
  switch (dialect) {
    case 'postgres':
      return `ORDER BY md5(concat(${asText('text')}))`
    case 'mysql':
      return `ORDER BY md5(concat(${asText('char')}))`
    case 'trino':
    case 'presto':
      return `ORDER BY xxhash64(to_utf8(concat(${asText('varchar')}, '')))`
    case 'snowflake':
      return `ORDER BY hash(${columns.join(', ')})`
    case 'spark':
      return `ORDER BY xxhash64(${columns.join(', ')})`
    case 'bigquery':
      return `ORDER BY farm_fingerprint(concat(${asText('string')}))`
    default:
      return ''
  }
}
