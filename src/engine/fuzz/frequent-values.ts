import type { MaximaPlacement } from '../contract/copy-spec.js'
import { quoteName } from '../query/quote-names.js'
import type { InjectionTable, InjectionTarget } from './injection-target.js'

/** A column with more distinct values is not one of groups. */
const mostGroups = 200
/** Of the rows with the most frequent value, one in so many keeps it. */
const keptStride = 4
/** Maximal number of columns of a table that are changed. */
const mostColumns = 12

/** Words of queries that take the first of some rows or groups: others have no winner, and would only lose rows. */
const winners = ['limit', 'fetch', 'qualify', 'over']

/** Reports whether queries with these words in them look for the first of some rows. */
export function picksWinner(identifiers: readonly string[]): boolean {
  return winners.some((word) => identifiers.includes(word))
}

/**
 * Makes another value the most frequent one of each column that the queries name, so that a query which names the largest
 * group differs from one which looks for it; for `asked`, the two most frequent ones tie.
 */
export async function changeFrequentValues(
  target: InjectionTarget,
  table: InjectionTable,
  identifiers: readonly string[],
  placement: MaximaPlacement,
): Promise<void> {
  const { quoted, rowKey, shape } = table
  const unique = new Set(shape.keys.flatMap((key) => (key.length === 1 ? key : [])))
  const checked = new Set(
    shape.checks.filter(({ columns }) => columns.length > 1).flatMap(({ columns }) => columns),
  )
  const named = [...shape.columns.entries()].filter(
    ([at, { name }]) => !unique.has(at) && !checked.has(at) && identifiers.includes(name.toLowerCase()),
  )
  for (const [, column] of named.slice(0, mostColumns)) {
    const name = quoteName(column.name)
    const groups = `SELECT ${name} AS cell, count(*) AS rows_of FROM ${quoted} WHERE ${name} IS NOT NULL GROUP BY 1`
    await target.run('DROP TABLE IF EXISTS temp.frequent')
    await target.run(
      `CREATE TEMP TABLE frequent AS SELECT cell, rows_of, row_number() OVER (ORDER BY rows_of DESC, cell) AS place, count(*) OVER () AS groups FROM (${groups}) found`,
    )
    const counts = await target.queryTexts(
      `SELECT CAST(rows_of AS VARCHAR) FROM frequent WHERE groups BETWEEN 2 AND ${mostGroups} AND place <= 2 ORDER BY place`,
    )
    const [first, second] = (counts ?? []).map(Number)
    if (first === undefined || second === undefined) continue
    const cellAt = (place: number): string => `(SELECT cell FROM frequent WHERE place = ${place})`
    const moved =
      placement === 'others' ? first - Math.ceil(first / keptStride) : Math.floor((first - second) / 2)
    if (moved === 0) continue
    const keys = rowKey.join(', ')
    const rows = `SELECT ${keys} FROM ${quoted} WHERE ${name} = ${cellAt(1)} ORDER BY ${keys} LIMIT ${moved}`
    await target.run(
      `${target.updateClause} ${quoted} SET ${name} = ${cellAt(2)} WHERE (${keys}) IN (${rows})`,
    )
  }
}
