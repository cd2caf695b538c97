import { poolLeaves } from '../../normalize/join-pool.js'
import { apply, type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { rewriteQuery } from '../../shape/rewrite-query.js'
import { renumberSources } from '../../shape/source-ids.js'
import { asSelect } from '../as-select.js'
import { type Column, queryReads } from '../column-references.js'
import { isDuplicateInsensitive } from '../duplicate-insensitivity.js'
import { dependencyClosure } from '../functional-dependencies.js'
import { blockOf, type JoinBlock, sourcesOf, withBlock } from '../join-block.js'
import { isNotNull, rejectsNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { existsOf } from './left-joins.js'

/**
 * A left join that matches one row at most and of which is only asked whether it matched, by a NULL test of what is
 * never NULL in a match, as EXISTS wherever it is asked.
 */
export function leftJoinTestToExists(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  if (block.lefts.length === 0 || select.outputs.some(isStar)) return select
  for (const left of block.lefts) {
    const ids = new Set(poolLeaves(left.right).map((node) => node.id))
    const others: JoinBlock = { ...block, lefts: block.lefts.filter((other) => other !== left) }
    const rest = withBlock(select, others)
    if (!queryReads(rest, ids)) continue
    const right: JoinBlock = { items: left.right.items, lefts: left.right.lefts, where: left.on }
    const isMark = (column: Column): boolean =>
      column.source !== undefined &&
      ids.has(column.source) &&
      (left.on.some((on) => rejectsNull(on, (other) => isSame(other, column))) ||
        isNotNull(column, { ...facts, nullable: new Set() }, []))
    const tested = asSelect(
      rewriteQuery(rest, {
        query: (query) => query,
        expression: (part): Expression => {
          const [value] = part.kind === 'apply' && part.op === 'is_null' ? part.args : []
          if (value?.kind !== 'column' || !isMark(value)) return part
          const exists = existsOf(left)
          const [inner] = exists.kind === 'apply' ? exists.args : []
          return inner?.kind === 'query'
            ? apply(
                'not',
                apply('exists', { kind: 'query', query: renumberSources(inner.query, facts.nextSourceId) }),
              )
            : part
        },
      }),
      select,
    )
    if (queryReads(tested, ids)) continue
    if (!isDuplicateInsensitive(select) && !matchesOnce(right, facts)) continue
    return tested
  }
  return select
}

function isSame(a: Column, b: Column): boolean {
  return a.source === b.source && a.output === b.output && (a.output !== undefined || a.name === b.name)
}

function matchesOnce(right: JoinBlock, facts: Facts): boolean {
  if (right.items.some((item) => item.kind === 'kept')) return false
  const { sources } = dependencyClosure([], right, facts)
  return [...sourcesOf(right)].every((source) => sources.has(source))
}
