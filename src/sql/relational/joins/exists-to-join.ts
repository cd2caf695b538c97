import { type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { hasWindow, isDuplicateInsensitive, isRowSet } from '../duplicate-insensitivity.js'
import { dependencyClosure, isKey } from '../functional-dependencies.js'
import { blockOf, isPlainSelect, type JoinBlock, sourcesOf, withBlock } from '../join-block.js'
import { mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'

/**
 * EXISTS becomes a join where that cannot multiply rows that count: no duplicates count, or keys say that at
 * most one row matches. `inExists` says that of the query itself only matters whether it has rows.
 */
export function existsToJoin(select: SelectShape, facts: Facts, inExists: boolean): SelectShape {
  if (inExists && !isRowSet(select)) return select
  const block = blockOf(select)
  for (const condition of block.where) {
    const inner = joinable(condition)
    if (inner === undefined) continue
    const own = blockOf(inner)
    const once = inExists || isDuplicateInsensitive(select) || matchesOnce(own, facts)
    if (!once && !hasNoDuplicates(select, block, facts)) continue
    return withBlock(once ? select : { ...select, distinct: true }, {
      items: [...block.items, ...own.items],
      lefts: [...block.lefts, ...own.lefts],
      where: [...block.where.filter((other) => other !== condition), ...own.where],
    })
  }
  return select
}

function joinable(condition: Expression): SelectShape | undefined {
  if (condition.kind !== 'apply' || condition.op !== 'exists') return undefined
  const [inner] = condition.args
  if (inner?.kind !== 'query' || inner.query.kind !== 'select' || !isRowSet(inner.query)) return undefined
  return inner.query.from === undefined ? undefined : inner.query
}

/** Whether the block has at most one row for given values of the tables around it. */
function matchesOnce(block: JoinBlock, facts: Facts): boolean {
  if (block.items.some((item) => item.kind === 'kept')) return false
  const { sources } = dependencyClosure([], block, facts)
  return [...sourcesOf(block)].every((source) => sources.has(source))
}

/** Rows that differ anyway: then DISTINCT changes nothing, and lets the join multiply them. */
function hasNoDuplicates(select: SelectShape, block: JoinBlock, facts: Facts): boolean {
  if (!isPlainSelect({ ...select, limit: undefined, offset: undefined }) || select.outputs.some(isStar))
    return false
  if (select.outputs.some((output) => mayAggregate(output) || hasWindow(output))) return false
  return isKey(select.outputs, block, facts)
}
