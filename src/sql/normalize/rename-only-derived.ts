import { hasGroupingSets } from '../relational/groups/grouping-sets.js'
import type { Expression, FromNode, QueryShape, SelectShape, SourceId } from '../shape/query-shape.js'
import { rewriteQuery, someExpression, someInQuery } from '../shape/rewrite-query.js'

/** A derived table or CTE that only selects plain columns of one table, or of another one, stands for that; two names of one column are two grouping keys. */
export function inlineRenameOnlyDerived(query: QueryShape): QueryShape {
  if (query.kind !== 'select' || query.from === undefined || hasGroupingSets(query)) return query
  const replaced = new Map<SourceId, Renaming>()
  const from = replace(query.from, replaced, query)
  return replaced.size === 0 ? query : rename({ ...query, from }, replaced)
}

interface Renaming {
  readonly table: SourceId
  readonly outputs: readonly Expression[]
}

function replace(node: FromNode, replaced: Map<SourceId, Renaming>, query: SelectShape): FromNode {
  if (node.kind === 'join') {
    return { ...node, left: replace(node.left, replaced, query), right: replace(node.right, replaced, query) }
  }
  const table = node.kind === 'derived' && node.extras.length === 0 ? onlyRenamed(node.query) : undefined
  if (node.kind !== 'derived' || table === undefined || node.query.kind !== 'select') return node
  const { outputs } = node.query
  const isWhole = outputs.every((output) => output.kind === 'column' && output.name === '*')
  if (!isWhole && (readsWholeRow(query, node.id) || readsAllColumns(query))) return node
  replaced.set(node.id, { table: table.id, outputs: isWhole ? [] : outputs })
  return table
}

/** The table of `SELECT columns FROM table` without any other clause. */
function onlyRenamed(query: QueryShape): (FromNode & { kind: 'table' | 'derived' }) | undefined {
  if (query.kind !== 'select' || query.from === undefined) return undefined
  if (query.from.kind !== 'table' && query.from.kind !== 'derived') return undefined
  const { from } = query
  const bare =
    !query.distinct &&
    query.where === undefined &&
    query.groupBy.length === 0 &&
    query.having === undefined &&
    query.qualify === undefined &&
    query.orderBy.length === 0 &&
    query.limit === undefined &&
    query.offset === undefined &&
    query.extras.length === 0
  const columnsOnly = query.outputs.every((output) => output.kind === 'column' && output.source === from.id)
  const isStar = query.outputs.map((output) => output.kind === 'column' && output.name === '*')
  const mixed = isStar.includes(true) && query.outputs.length > 1
  return bare && columnsOnly && !mixed ? from : undefined
}

/** Whether the query reads anything of the source other than its listed outputs: `*`, or its row. */
function readsWholeRow(query: QueryShape, id: SourceId): boolean {
  return someInQuery(
    query,
    (part) => part.kind === 'column' && part.source === id && part.output === undefined,
  )
}

/** `*` that is not bound to a table, and joins on whatever columns have one name. */
function readsAllColumns(query: SelectShape): boolean {
  const isUnbound = (part: Expression): boolean =>
    part.kind === 'column' && part.name === '*' && part.source === undefined
  return query.outputs.some((output) => someExpression(output, isUnbound)) || hasOtherJoin(query.from)
}

function hasOtherJoin(node: FromNode | undefined): boolean {
  if (node?.kind !== 'join') return false
  return !knownJoins.has(node.join) || hasOtherJoin(node.left) || hasOtherJoin(node.right)
}

const knownJoins: ReadonlySet<string> = new Set(['inner', 'left', 'right', 'full'])

function rename(query: QueryShape, replaced: ReadonlyMap<SourceId, Renaming>): QueryShape {
  return rewriteQuery(query, {
    expression: (expression) => {
      if (expression.kind !== 'column' || expression.source === undefined) return expression
      const renaming = replaced.get(expression.source)
      if (renaming === undefined) return expression
      const output = expression.output === undefined ? undefined : renaming.outputs[expression.output]
      return output ?? { ...expression, source: renaming.table, output: undefined }
    },
    query: (nested) => nested,
  })
}
