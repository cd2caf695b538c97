import type { Expression, FromNode, QueryShape, SourceId } from '../shape/query-shape.js'
import { eachFrom } from '../shape/rewrite-query.js'

/** The tables of a query by number, and what stands behind the columns of its derived tables. */
export interface Sources {
  readonly tables: ReadonlyMap<SourceId, string>
  /** Returns the expression behind a column of a derived table. */
  outputOf(column: Expression & { kind: 'column' }): Expression | undefined
}

export function sourcesIn(query: QueryShape): Sources {
  const tables = new Map<SourceId, string>()
  const derived = new Map<SourceId, QueryShape>()
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
    if (node.kind === 'table') tables.set(node.id, node.name)
    if (node.kind === 'derived') derived.set(node.id, node.query)
  }
  eachFrom(query, visit)
  return {
    tables,
    outputOf: ({ source, output }) => {
      const inner = source === undefined ? undefined : derived.get(source)
      return inner?.kind === 'select' && output !== undefined ? inner.outputs[output] : undefined
    },
  }
}
