import type { ColumnHints } from '../normalize/column-hints.js'
import type { QueryPair } from '../query-pair.js'
import {
  type FromNode,
  isStar,
  type QueryShape,
  type SelectShape,
  type SourceId,
} from '../shape/query-shape.js'
import { eachFrom, rewriteQuery } from '../shape/rewrite-query.js'
import { changesOf } from '../shape/stars.js'

/** The columns of tables that one query shows with a star and the other without: where both do, nothing is listed. */
export function starredByOneQuery(
  { expected, generated }: QueryPair<QueryShape>,
  hints: ColumnHints,
): ColumnHints {
  const [left, right] = [starredTables(expected), starredTables(generated)]
  return new Map([...hints].filter(([table]) => left.has(table) !== right.has(table)))
}

/** The tables of which a star shows all columns; a pivot passes them on without a star of the query's own. */
function starredTables(query: QueryShape): ReadonlySet<string> {
  const tables = new Map<SourceId, string>()
  const pivots = new Map<SourceId, SelectShape>()
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
    if (node.kind === 'table') tables.set(node.id, node.name)
    if (node.kind === 'derived' && node.query.kind === 'select' && isPivot(node.query))
      pivots.set(node.id, node.query)
  }
  eachFrom(query, visit)
  const starred = new Set<string>()
  const note = (select: SelectShape): void => {
    for (const source of starSources(select)) {
      const [table, pivot] = [tables.get(source), pivots.get(source)]
      if (table !== undefined) starred.add(table)
      if (pivot !== undefined) note(pivot)
    }
  }
  rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) => {
      if (nested.kind === 'select' && !isPivot(nested)) note(nested)
      return nested
    },
  })
  return starred
}

function isPivot(select: SelectShape): boolean {
  return select.extras.some((extra) => extra.kind === 'apply' && /^field:(?:un)?pivot\b/u.test(extra.op))
}

function starSources(select: SelectShape): readonly SourceId[] {
  return select.outputs.filter(isStar).flatMap((output): readonly SourceId[] => {
    const star = changesOf(output)?.star ?? output
    if (star.kind !== 'column') return []
    return star.source === undefined ? sourcesIn(select.from) : [star.source]
  })
}

function sourcesIn(node: FromNode | undefined): readonly SourceId[] {
  if (node === undefined) return []
  return node.kind === 'join' ? [...sourcesIn(node.left), ...sourcesIn(node.right)] : [node.id]
}
