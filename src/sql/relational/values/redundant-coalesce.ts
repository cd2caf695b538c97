import type { Expression, SelectShape } from '../../shape/query-shape.js'
import { mapAll, someExpression } from '../../shape/rewrite-query.js'
import { isSameExpression } from '../column-references.js'
import { blockOf, type JoinBlock, withBlock } from '../join-block.js'
import { mayAggregate } from '../known-functions.js'
import { isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { comparisons, haveSameAffinity } from './affinity.js'

/**
 * `coalesce(x, y)` is x where x is never NULL: what USING merges, written out, is the column of either side.
 *
 * @param isShown whether nothing reads the outputs: SQLite compares a column as its type says
 */
export function dropRedundantCoalesce(select: SelectShape, facts: Facts, isShown = false): SelectShape {
  const isCoalesce = (part: Expression): boolean => part.kind === 'apply' && part.op === 'coalesce'
  const values = [...select.outputs, ...select.groupBy, ...(select.where ? [select.where] : [])]
  if (!values.some((value) => someExpression(value, isCoalesce))) return select
  const block = blockOf(select)
  const given = block.where.filter((condition) => !someExpression(condition, isCoalesce))
  const first = (whole: Expression): Expression => {
    const part = withoutMatched(whole, block)
    if (part.kind !== 'apply' || part.op !== 'coalesce') return part
    const [value] = part.args
    if (part.args.length === 1 && value !== undefined) return value
    if (value === undefined || !isNotNull(value, facts, given)) return part
    return mayAggregate(part) && !mayAggregate(value) ? part : value
  }
  const simple = (value: Expression, mayBe: (known: Expression) => boolean): Expression => {
    if (value.kind !== 'apply') return value
    const args = mapAll(value.args, (arg) => simple(arg, (known) => isAlike(known, arg, value, facts)))
    const whole = args === value.args ? value : { ...value, args }
    const known = first(whole)
    return known === whole || mayBe(known) ? known : whole
  }
  const asOutput = (value: Expression): Expression =>
    simple(value, (known) => isShown || !isTyped(known, facts))
  const asCondition = (value: Expression): Expression => simple(value, () => true)
  const [outputs, groupBy] = [mapAll(select.outputs, asOutput), mapAll(select.groupBy, asOutput)]
  const where = mapAll(block.where, asCondition)
  if (outputs === select.outputs && groupBy === select.groupBy && where === block.where) return select
  return { ...withBlock(select, { ...block, where }), outputs, groupBy }
}

/** Whether it is compared as its type says: SQLite does so with columns, and not with what is computed of them. */
function isTyped(value: Expression, facts: Facts): boolean {
  const isCast = value.kind === 'apply' && value.op === 'cast'
  return facts.dialect === 'sqlite' && (value.kind === 'column' || value.kind === 'query' || isCast)
}

/** Whether the value may stand for what it is known to be, among the operands of a call. */
function isAlike(
  value: Expression,
  written: Expression,
  call: Expression & { kind: 'apply' },
  facts: Facts,
): boolean {
  if (!isTyped(value, facts) || !comparing.has(call.op)) return true
  const others = call.args.filter((other) => other !== written)
  return comparisons.has(call.op) && others.every((other) => haveSameAffinity(value, other, facts))
}

const comparing: ReadonlySet<string> = new Set([
  ...comparisons,
  ...['in', 'tuple', 'is_not_distinct', 'is_distinct', 'coalesce'],
])

/** `coalesce(a.x, b.x)` after `a LEFT JOIN b ON a.x = b.x`: where a.x is NULL, so is b.x. */
function withoutMatched(part: Expression, block: JoinBlock): Expression {
  if (part.kind !== 'apply' || part.op !== 'coalesce') return part
  const [first, ...others] = part.args
  if (first?.kind !== 'column' || block.lefts.length === 0) return part
  const isMatched = (other: Expression): boolean =>
    block.lefts.some(({ on, right }) => {
      const isInside = (value: Expression): boolean =>
        value.kind === 'column' &&
        right.items.some((item) => item.kind !== 'kept' && item.id === value.source)
      return isInside(other) && !isInside(first) && on.some((condition) => equates(condition, first, other))
    })
  const kept = others.filter((other) => !isMatched(other))
  return kept.length === others.length ? part : { ...part, args: [first, ...kept] }
}

function equates(condition: Expression, one: Expression, other: Expression): boolean {
  if (condition.kind !== 'apply' || condition.op !== '=') return false
  const has = (wanted: Expression): boolean => condition.args.some((arg) => isSameExpression(arg, wanted))
  return has(one) && has(other)
}
