import { conjuncts, type FromNode, type SelectShape, type SourceId } from '../../shape/query-shape.js'
import { isColumnOf, rejectsNull } from '../nullability.js'

/** A full join of which later conditions reject the unmatched rows of one side is a left or right join. */
export function narrowFullJoin(select: SelectShape): SelectShape {
  if (select.from === undefined || select.where === undefined) return select
  const conditions = conjuncts(select.where)
  const rejects = (node: FromNode): boolean => {
    const test = isColumnOf(idsOf(node))
    return conditions.some((condition) => rejectsNull(condition, test))
  }
  const narrow = (node: FromNode): FromNode => {
    if (node.kind !== 'join') return node
    if (node.join === 'full' && node.extras.length === 0) {
      const [left, right] = [rejects(node.left), rejects(node.right)]
      if (left || right) return { ...node, join: left && right ? 'inner' : left ? 'left' : 'right' }
    }
    // Only below joins that keep the rows apart: what is rejected later must not come from an outer join above.
    if (node.join !== 'inner') return node
    const [left, right] = [narrow(node.left), narrow(node.right)]
    return left === node.left && right === node.right ? node : { ...node, left, right }
  }
  const from = narrow(select.from)
  return from === select.from ? select : { ...select, from }
}

function idsOf(node: FromNode): ReadonlySet<SourceId> {
  return node.kind === 'join' ? new Set([...idsOf(node.left), ...idsOf(node.right)]) : new Set([node.id])
}
