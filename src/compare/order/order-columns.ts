import type { Column } from '../../engine/contract/engine.js'
import { type Expression, firstSelect, isStar, type QueryShape } from '../../sql/index.js'

/**
 * Returns the result columns that the outermost query orders by, which determine ties; undefined if a key is
 * not among the columns (`SELECT name … ORDER BY score`), because then ties cannot be determined.
 */
export function orderColumns(query: QueryShape, columns: readonly Column[]): readonly number[] | undefined {
  const found = query.orderBy.map((item) => columnOf(item.by, query, columns))
  const known = found.filter((column) => column !== undefined)
  return known.length > 0 && known.length === found.length ? known : undefined
}

function columnOf(by: Expression, query: QueryShape, columns: readonly Column[]): number | undefined {
  const select = firstSelect(query)
  const listed =
    select !== undefined && select.outputs.length === columns.length && !select.outputs.some(isStar)
  if (by.kind === 'literal' && by.type === 'number') {
    const position = Number(by.value) - 1
    return position in columns ? position : undefined
  }
  if (listed && query.kind === 'select') {
    const text = JSON.stringify(by)
    const same = select.outputs.findIndex((output) => JSON.stringify(output) === text)
    if (same >= 0) return same
  }
  if (by.kind !== 'column') return undefined
  const name = by.name.toLowerCase()
  const named = columns
    .map((column, index) => ({ index, name: column.name.toLowerCase() }))
    .filter((column) => column.name === name)
  // The name of a table's column may be that of another output, unless the outputs are the table's columns.
  const bound = by.source !== undefined && listed
  return named.length === 1 && !bound ? named[0]?.index : undefined
}
