import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { isRowSet } from '../duplicate-insensitivity.js'
import { blockOf, type JoinBlock, withBlock } from '../join-block.js'
import { findCorrelatedSelfRead, isNonNullAndSelfEqual } from '../subqueries/correlated-self-reads.js'
import type { Facts } from '../table-facts.js'

/**
 * A row beside which there is none with a greater value, `NOT EXISTS (SELECT 1 FROM t o WHERE o.k = t.k AND o.d > t.d)`, has
 * the greatest one: `d = (SELECT max(o.d) FROM t o WHERE o.k = t.k)`.
 */
export function notExistsGreaterToExtreme(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  for (const condition of block.where) {
    const extreme = extremeOf(condition, block, facts)
    if (extreme === undefined) continue
    return withBlock(select, {
      ...block,
      where: block.where.map((other) => (other === condition ? extreme : other)),
    })
  }
  return select
}

function extremeOf(condition: Expression, block: JoinBlock, facts: Facts): Expression | undefined {
  const [exists] = condition.kind === 'apply' && condition.op === 'not' ? condition.args : []
  const [inner] = exists?.kind === 'apply' && exists.op === 'exists' ? exists.args : []
  if (inner?.kind !== 'query' || inner.query.kind !== 'select' || !isRowSet(inner.query)) return undefined
  const { query } = inner
  const own = blockOf(query)
  const comparisons = own.where.filter((one) => one.kind === 'apply' && one.op === '<')
  const [comparison, ...more] = comparisons
  if (comparison?.kind !== 'apply' || more.length > 0) return undefined
  const rest = own.where.filter((one) => one !== comparison)
  const rows = findCorrelatedSelfRead(query, block, facts, rest)
  const [low, high] = comparison.args
  if (rows === undefined || low?.kind !== 'column' || high?.kind !== 'column' || low.name !== high.name)
    return undefined
  const { here, there } = rows
  const isGreater = low.source === here.id && high.source === there.id
  if (!isGreater && !(low.source === there.id && high.source === here.id)) return undefined
  const [value, other] = isGreater ? [low, high] : [high, low]
  if (!isNonNullAndSelfEqual(value, block, facts)) return undefined
  const best = apply(isGreater ? 'max' : 'min', other)
  const values = { ...withBlock(query, { ...own, where: rest }), outputs: [best], names: [undefined] }
  return apply('=', value, { kind: 'query', query: { ...values, distinct: false, orderBy: [] } })
}
