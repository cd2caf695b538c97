import type { ComparedLiteral } from '../../sql/index.js'
import type { MaximaPlacement, Redistribution } from '../contract/copy-spec.js'
import { quoteName, quoteText } from '../query/quote-names.js'
import { literalOf } from './candidate-literals.js'
import type { InjectionTable, InjectionTarget } from './injection-target.js'

/** Rows whose number this divides contain values named in queries, and are duplicated. */
export const injectedRowStride = 3
/** Maximal number of conditions by which rows are ranked. */
const mostConditions = 8
/** A column with fewer distinct values is a flag, which would be the same for all rows of a group. */
const fewestCells = 3
/** Number of distinct values of each group of rows, if a column has twice as many; else half of them. */
const variety = 12
/** Maximal number of columns of a table whose values are redistributed. */
const mostColumns = 24

/**
 * SQL expressions of a row `it` that differ for rows which queries distinguish; lower for the rows they name.
 */
type RankExpressions = readonly string[]

export interface RankedTable {
  readonly table: InjectionTable
  readonly ranks: RankExpressions
}

/**
 * Returns expressions for how a query's conditions distinguish the rows of a table, by its own columns and by
 * those of the rows that it refers to. `known` has the ranks of tables before it.
 */
export async function rankExpressions(
  target: InjectionTarget,
  table: InjectionTable,
  values: readonly ComparedLiteral[],
  known: ReadonlyMap<string, RankedTable>,
): Promise<RankExpressions> {
  const conditions: string[] = []
  for (const { name } of table.shape.columns) {
    const own = values.filter(({ column, path }) => column === name.toLowerCase() && path === undefined)
    for (const rank of columnRankExpressions(`it.${quoteName(name)}`, own))
      if ((await target.queryTexts(`SELECT ${rank} FROM ${table.quoted} AS it LIMIT 1`)) !== undefined)
        conditions.push(rank)
  }
  for (const { columns, table: name, targets } of table.shape.references) {
    const parent = known.get(name)
    if (parent === undefined || name === table.shape.name) continue
    const same = columns.map((column, at) => {
      const [own, other] = [table.shape.columns[column], parent.table.shape.columns[targets[at] ?? -1]]
      return `it.${quoteName(own?.name ?? '')} = parent.${quoteName(other?.name ?? '')}`
    })
    for (const rank of parent.ranks)
      conditions.push(
        `(SELECT ${rank.replaceAll(/\bit\./gu, 'parent.')} FROM ${parent.table.quoted} AS parent WHERE ${same.join(' AND ')})`,
      )
  }
  return conditions.slice(0, mostConditions)
}

function columnRankExpressions(column: string, values: readonly ComparedLiteral[]): string[] {
  const equal = values.filter(({ role }) => role === undefined).map(literalOf)
  const among = equal.map((literal, at) => `WHEN ${column} = ${literal} THEN ${at}`)
  const bounds = values.filter(({ role }) => role === 'bound').map(literalOf)
  const parts = values.filter(({ role, text }) => (role === 'prefix' || role === 'part') && text !== '')
  return [
    ...(among.length === 0 ? [] : [`CASE ${among.join(' ')} ELSE ${among.length} END`]),
    ...bounds.map(
      (literal) => `CASE WHEN ${column} < ${literal} THEN 0 WHEN ${column} = ${literal} THEN 1 ELSE 2 END`,
    ),
    ...parts.map(({ text, role }) => {
      const pattern = `${role === 'part' ? '%' : ''}${text.replaceAll(/[%_\\]/gu, '\\$&')}%`
      return `CASE WHEN CAST(${column} AS VARCHAR) LIKE ${quoteText(pattern)} ESCAPE '\\' THEN 0 ELSE 1 END`
    }),
  ]
}

/**
 * Redistributes the values of columns that the queries read but compare with nothing: rows that a condition
 * distinguishes get different values, and the least and the greatest value of a column are each in one group
 * of rows only. So a missing filter changes the result of `max` and the first row of an order, and no row
 * contains a constant of the query by chance.
 */
export async function redistributeValues(
  target: InjectionTarget,
  table: InjectionTable,
  ranks: RankExpressions,
  compared: ReadonlySet<string>,
  { identifiers, maximaIn }: Redistribution,
): Promise<void> {
  const { quoted, rowKey, shape } = table
  if (ranks.length === 0) return
  const keys = rowKey.map((part, at) => `it.${part} AS key_${at}`).join(', ')
  const order = ranks.map((_, at) => `rank_${at}${maximaIn === 'asked' ? ' DESC' : ''}`).join(', ')
  await target.run('DROP TABLE IF EXISTS temp.grouped')
  const ranked = `SELECT ${keys}, row_number() OVER (ORDER BY ${rowKey.map((part) => `it.${part}`).join(', ')}) - 1 AS n, ${ranks.map((rank, at) => `${rank} AS rank_${at}`).join(', ')} FROM ${quoted} AS it`
  await target.run(
    `CREATE TEMP TABLE grouped AS SELECT ranked.*, dense_rank() OVER (ORDER BY ${order}) - 1 AS part FROM (${ranked}) ranked`,
  )
  const parts = await queryNumber(target, 'SELECT CAST(max(part) + 1 AS VARCHAR) FROM grouped')
  if (parts < 2) return
  const bound = new Set([...shape.keys.flat(), ...shape.references.flatMap(({ columns }) => columns)])
  const measured = [...shape.columns.entries()].filter(([at, { name }]) => {
    const lower = name.toLowerCase()
    return (
      !bound.has(at) && !compared.has(lower) && (identifiers.includes(lower) || identifiers.includes('*'))
    )
  })
  for (const [at, { name }] of measured.slice(0, mostColumns))
    await redistributeColumn(target, table, { name, at }, parts, maximaIn)
}

async function redistributeColumn(
  target: InjectionTarget,
  { quoted, rowKey }: InjectionTable,
  column: { readonly name: string; readonly at: number },
  parts: number,
  summit: MaximaPlacement,
): Promise<void> {
  const name = quoteName(column.name)
  const [type] = (await target.queryTexts(`SELECT typeof(${name}) FROM ${quoted} LIMIT 1`)) ?? []
  // DuckDB rewrites a row with a list or a struct at another position.
  if (type === undefined || /STRUCT|MAP|UNION|\]$/u.test(type)) return
  await target.run('DROP TABLE IF EXISTS temp.held')
  await target.run(
    `CREATE TEMP TABLE held AS SELECT cell, CAST(row_number() OVER (ORDER BY cell) - 1 AS BIGINT) AS place FROM (SELECT DISTINCT ${name} AS cell FROM ${quoted} WHERE ${name} IS NOT NULL) cells`,
  )
  const cells = await queryNumber(target, 'SELECT CAST(count(*) AS VARCHAR) FROM held')
  if (cells < fewestCells) return
  // DuckDB rejects this index, and does not need it.
  await target.run('CREATE INDEX temp.held_by_place ON held (place)')
  // Each part has a range of values that begins and ends later than the preceding one, and is wide enough to
  // form groups.
  const width = Math.max(Math.floor(cells / parts), Math.min(Math.ceil(cells / 2), variety))
  const from = `part * ${cells - width}`
  const start = `(${from} - ${from} % ${parts - 1}) / ${parts - 1}`
  const pseudoRandom = `((n + 1) * (n + 1 + ${(column.at + 1) * 7919}) % 65521) * 1103515245 % 2147483647`
  // The first row of an order has to be unique if a missing filter would show another, and a tie if the rows
  // in question come first. A row that will be duplicated is neither.
  const inner = width < 3 ? `${pseudoRandom} % ${width}` : `1 + ${pseudoRandom} % ${width - 2}`
  const tied = summit === 'asked' ? width - 1 : 0
  const place = `${start} + CASE turn WHEN 1 THEN ${width - 1} WHEN 2 THEN 0 WHEN 3 THEN ${tied} ELSE ${inner} END`
  await target.run('DROP TABLE IF EXISTS temp.redistributed')
  await target.run(
    `CREATE TEMP TABLE redistributed AS SELECT turns.*, CAST(${place} AS BIGINT) AS place FROM (SELECT grouped.*, row_number() OVER (PARTITION BY part ORDER BY n % ${injectedRowStride} = 0, ${pseudoRandom}) AS turn FROM grouped) turns`,
  )
  const keys = rowKey.map((_, at) => `key_${at}`).join(', ')
  await target.run(`CREATE INDEX temp.redistributed_by_key ON redistributed (${keys})`)
  const same = rowKey.map((part, at) => `redistributed.key_${at} = it.${part}`).join(' AND ')
  await target.run(
    `${target.updateClause} ${quoted} AS it SET ${name} = (SELECT held.cell FROM redistributed JOIN held ON held.place = redistributed.place WHERE ${same}) WHERE ${name} IS NOT NULL`,
  )
}

async function queryNumber(target: InjectionTarget, sql: string): Promise<number> {
  return Number((await target.queryTexts(sql))?.[0] ?? 0)
}

/** Returns names that occur anywhere in queries, in lower case, and `*` if one selects all columns. */
export function identifiersIn(queries: readonly string[]): readonly string[] {
  const words = new Set(
    queries.flatMap((sql) => [
      ...sql.toLowerCase().split(/[^\p{L}\p{N}_$]+/u),
      ...[...sql.toLowerCase().matchAll(/"([^"]+)"|`([^`]+)`|\[([^\]]+)\]/gu)].map(
        ([, a, b, c]) => a ?? b ?? c ?? '',
      ),
      ...(/(?:select|distinct|[.,])\s*\*/iu.test(sql) ? ['*'] : []),
    ]),
  )
  return [...words]
}
