import type { FromNode, SelectShape, SourceId } from '../../shape/query-shape.js'
import { rewriteQuery, withChanges } from '../../shape/rewrite-query.js'
import { asSelect } from '../as-select.js'
import { isSameExpression } from '../column-references.js'
import { blockOf } from '../join-block.js'
import { isStable } from '../known-functions.js'

/** A derived table of distinct rows that shows one value twice shows it once: whoever reads it reads the first. */
export function dropRepeatedOutputs(select: SelectShape): SelectShape {
  const { from } = select
  if (from === undefined) return select
  for (const item of blockOf(select).items) {
    if (item.kind !== 'derived' || item.extras.length > 0 || item.query.kind !== 'select') continue
    const { outputs, names, distinct } = item.query
    if (!distinct || outputs.length < 2 || !outputs.every(isStable)) continue
    const firsts = outputs.map((output) => outputs.findIndex((other) => isSameExpression(other, output)))
    const places = [...new Set(firsts)]
    if (places.length === outputs.length) continue
    const query: SelectShape = {
      ...item.query,
      outputs: outputs.filter((_, at) => places.includes(at)),
      names: names.filter((_, at) => places.includes(at)),
    }
    const changed = asSelect(
      rewriteQuery(select, {
        query: (nested) => nested,
        expression: (part) =>
          part.kind === 'column' && part.source === item.id && part.output !== undefined
            ? { ...part, output: places.indexOf(firsts[part.output] ?? 0) }
            : part,
      }),
      select,
    )
    return changed.from === undefined ? select : { ...changed, from: withQuery(changed.from, item.id, query) }
  }
  return select
}

function withQuery(node: FromNode, id: SourceId, query: SelectShape): FromNode {
  if (node.kind === 'join')
    return withChanges(node, {
      left: withQuery(node.left, id, query),
      right: withQuery(node.right, id, query),
    })
  return node.kind === 'derived' && node.id === id ? { ...node, query } : node
}
