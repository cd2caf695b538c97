import type { CopyQueries, ResultSet, Value } from '../../engine/contract/engine.js'
import type { OutcomeComparisonOptions } from '../outcomes/query-outcomes.js'

/** A limit at the end of a query, with what is left out before it. */
const limitAtEnd = /\blimit\s+(\d+)(?:\s+offset\s+(\d+))?[\s;]*$/iu

/**
 * Reports whether the expected query may return the rows of another result on a copy: rows on both sides of its LIMIT tie in
 * its order, and these are among them, whatever the order in which rows are stored.
 */
export async function isAllowedByTies(
  copy: CopyQueries,
  { order, limits }: Pick<OutcomeComparisonOptions, 'order' | 'limits'>,
  generated: ResultSet,
): Promise<boolean> {
  const tieQuery = order.tieQuery?.()
  const found = tieQuery === undefined ? null : limitAtEnd.exec(tieQuery)
  if (tieQuery === undefined || found === null) return false
  const outcome = await copy.query(tieQuery.slice(0, found.index), limits)
  if (outcome.kind !== 'rows') return false
  const ranked = outcome.result.rows.map((row) => ({ rank: rankOf(row), text: textOf(row.slice(0, -1)) }))
  const from = Number(found[2] ?? 0)
  const to = from + Number(found[1])
  const [first, last] = [ranked[from]?.rank, ranked[Math.min(to, ranked.length) - 1]?.rank]
  if (first === undefined || last === undefined) return false
  const isTied = [from, to].some(
    (at) => at > 0 && at < ranked.length && ranked[at - 1]?.rank === ranked[at]?.rank,
  )
  const allowed = new Set(ranked.filter(({ rank }) => rank >= first && rank <= last).map(({ text }) => text))
  return isTied && generated.rows.every((row) => allowed.has(textOf(row)))
}

function rankOf(row: readonly Value[]): number {
  return Number(row.at(-1))
}

/** Returns a row as a text that equal rows share. */
function textOf(row: readonly Value[]): string {
  return JSON.stringify(
    row.map((cell) => (typeof cell === 'object' && cell !== null ? cell.text : String(cell))),
  )
}
