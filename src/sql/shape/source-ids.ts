import type { Expression, FromNode, QueryShape, SourceId } from './query-shape.js'
import { eachFrom, rewriteQuery, withChanges } from './rewrite-query.js'

/** Gives numbers that no table of the query has. */
export function createSourceIds(query: QueryShape): () => SourceId {
  let last: SourceId | undefined
  return () => {
    last ??= lastSource(query)
    return ++last
  }
}

function lastSource(query: QueryShape): SourceId {
  let last = 0
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
    else last = Math.max(last, node.id)
  }
  eachFrom(query, visit)
  return last
}

/** A copy of the query whose tables have numbers of their own, so that it can stand beside the original. */
export function renumberSources(query: QueryShape, fresh: () => SourceId): QueryShape {
  const numbers = new Map<SourceId, SourceId>()
  const renumber = (node: FromNode): FromNode => {
    if (node.kind === 'join')
      return withChanges(node, { left: renumber(node.left), right: renumber(node.right) })
    const id = fresh()
    numbers.set(node.id, id)
    return { ...node, id }
  }
  const copied = rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) =>
      nested.kind === 'select' && nested.from !== undefined
        ? { ...nested, from: renumber(nested.from) }
        : nested,
  })
  return rewriteQuery(copied, {
    query: (nested) => nested,
    expression: (expression): Expression => {
      if (expression.kind !== 'column' || expression.source === undefined) return expression
      const id = numbers.get(expression.source)
      return id === undefined ? expression : { ...expression, source: id }
    },
  })
}
