import type { Engine, QueryLimits, Value } from '../../../engine/contract/engine.js'

/** Cells of a row as texts; null: NULL. */
export type Texts = readonly (string | null)[]

/** Reads the rows of a query as texts; undefined where the server does not run it. */
export async function readRows(
  engine: Pick<Engine, 'query'>,
  sql: string,
  limits: QueryLimits,
): Promise<Texts[] | undefined> {
  const outcome = await engine.query(sql, limits)
  return outcome.kind === 'rows' ? outcome.result.rows.map((row) => row.map(textOf)) : undefined
}

/** Returns a cell as the text that its type reads; null: NULL. */
export function textOf(cell: Value): string | null {
  if (cell === null) return null
  if (typeof cell === 'boolean') return cell ? '1' : '0'
  if (typeof cell !== 'object') return String(cell)
  // Sessions are in UTC.
  return cell.kind === 'timestamp' ? cell.text.replace(/\+00$/u, '') : cell.text
}
