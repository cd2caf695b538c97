import {
  type Expression,
  firstSelect,
  isStar,
  type QueryShape,
  type SelectShape,
  type SetShape,
  unionAll,
} from '../../shape/query-shape.js'
import { someExpression, someInQuery } from '../../shape/rewrite-query.js'
import { renumberSources } from '../../shape/source-ids.js'
import { replaceColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, isPlainSelect } from '../join-block.js'
import { mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

/** A filter and projection of UNION ALL is the UNION ALL of the filtered and projected operands. */
export function distributeOverUnionAll(select: SelectShape, facts: Facts): QueryShape {
  const [item, another] = blockOf(select).items
  if (
    item?.kind !== 'derived' ||
    another !== undefined ||
    select.from?.kind !== 'derived' ||
    item.extras.length > 0
  )
    return select
  const { query, id } = item
  if (query.kind !== 'set' || query.orderBy.length > 0) return select
  if (isShownWhole(select, id, query)) return query
  if (query.operation !== 'union' || !query.all) return select
  if (query.limit !== undefined || query.offset !== undefined || query.extras.length > 0) return select
  if (!isPlainSelect(select) || select.orderBy.length > 0) return select
  // DISTINCT rows of UNION ALL are the rows of UNION.
  if (select.distinct && isWholeOf(select, id, query) && select.where === undefined)
    return { ...query, all: false }
  if (select.distinct) return select
  if (select.outputs.some((output) => mayAggregate(output) || hasWindow(output) || isStar(output)))
    return select
  const readsRow = someInQuery(
    select,
    (part) => part.kind === 'column' && part.source === id && part.output === undefined,
  )
  const hasSubquery = someInQuery(select, (part) => part.kind === 'query')
  if (readsRow || hasSubquery) return select
  const isTyped = select.outputs.some((output) => dependsOnType(output)) && facts.dialect !== 'sqlite'
  if (isTyped && !facts.assumptions.assume('types', 'the operands of UNION ALL hold values of one type'))
    return select
  const parts = query.operands.map((operand, at): QueryShape => {
    const part = { ...select, from: { ...item, query: operand }, positional: true }
    const own = inlineOperand(part, operand, id)
    // Sources are renumbered, since facts about a source are kept by its number and must not mix between operands.
    return at === 0 ? own : renumberSources(own, () => facts.nextSourceId())
  })
  return unionAll(parts)
}

/** Whether the query shows the rows of a set operation as they are. */
function isShownWhole(select: SelectShape, id: number, query: SetShape): boolean {
  if (query.all || !bySets.has(query.operation) || select.where !== undefined || select.distinct) return false
  if (query.limit !== undefined || query.offset !== undefined || query.extras.length > 0) return false
  return isPlainSelect(select) && select.orderBy.length === 0 && isWholeOf(select, id, query)
}

const bySets: ReadonlySet<string> = new Set(['union', 'intersect', 'except'])

function isWholeOf({ outputs, positional }: SelectShape, id: number, query: QueryShape): boolean {
  const isPlace = (output: Expression, at: number): boolean =>
    output.kind === 'column' && output.source === id && output.output === at
  const [only] = outputs
  const isStarOf = outputs.length === 1 && only?.kind === 'column' && only.name === '*' && only.source === id
  const isWide = outputs.length === firstSelect(query)?.outputs.length
  return !positional && (isStarOf || (isWide && outputs.every(isPlace)))
}

/** Of which the value depends on the type that UNION ALL gives its columns. */
const typed: ReadonlySet<string> = new Set(['/', 'div', '%', '||', 'cast', 'try_cast', 'concat', 'length'])

function dependsOnType(output: Expression): boolean {
  return someExpression(output, (part) => part.kind === 'apply' && typed.has(part.op))
}

function inlineOperand(part: SelectShape, operand: QueryShape, id: number): QueryShape {
  if (operand.kind !== 'select' || !isPlainSelect(operand) || operand.distinct) return part
  const isComputed = operand.outputs.some(
    (output) => mayAggregate(output) || hasWindow(output) || isStar(output),
  )
  if (isComputed) return part
  const replaced = replaceColumns({ ...part, from: operand.from }, (column) =>
    column.source === id && column.output !== undefined ? operand.outputs[column.output] : undefined,
  )
  if (replaced.kind !== 'select') return part
  const where = [operand.where, replaced.where].filter((condition) => condition !== undefined)
  return { ...replaced, where: where.length === 2 ? { kind: 'apply', op: 'and', args: where } : where[0] }
}
