import { apply, type Expression, type FromNode, type SourceId, word } from './query-shape.js'
import { type Scope, sourcesOf } from './scope.js'

/**
 * `USING (a, b)` as conditions, and what the merged columns mean from here on: the left one for inner and
 * left joins, the right one for right joins, the first that is not NULL for full joins.
 */
export function mergeColumns(
  names: readonly string[],
  join: string,
  left: FromNode,
  right: FromNode,
  scope: Scope,
): Expression[] {
  return names.map((name) => {
    const leftColumn = scope.merged.get(name) ?? columnOfOnly(left, name, scope)
    const rightColumn = columnOfOnly(right, name, scope)
    if (leftColumn === undefined || rightColumn === undefined) {
      scope.merged.set(name, { kind: 'column', source: undefined, name })
      return apply('using', word(name), ...(rightColumn === undefined ? [] : [rightColumn]))
    }
    scope.merged.set(name, mergedColumn(join, leftColumn, rightColumn))
    return apply('=', leftColumn, rightColumn)
  })
}

function mergedColumn(join: string, left: Expression, right: Expression): Expression {
  if (join === 'right') return right
  return join === 'full' ? apply('coalesce', left, right) : left
}

/** The column where that side of the join is a single table, or one table alone of it can have the column. */
function columnOfOnly(node: FromNode, name: string, scope: Scope): Expression | undefined {
  const ids = sourceIds(node)
  const visible = scope.sources.filter(({ id, isHidden }) => ids.includes(id) && isHidden !== true)
  const [source, another] = visible.length > 1 && !scope.opaque ? sourcesOf(visible, name) : visible
  if (source === undefined || another !== undefined) return undefined
  return { kind: 'column', source: source.id, name, output: source.columns.get(name) }
}

function sourceIds(node: FromNode): readonly SourceId[] {
  return node.kind === 'join' ? [...sourceIds(node.left), ...sourceIds(node.right)] : [node.id]
}
