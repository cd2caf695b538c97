import { isNumberLiteral, numberLiteral } from '../../functions/function-table.js'
import { unorderedNaN } from '../../normalize/predicates.js'
import { apply, conjunction, conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { readsOnlyOuterColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { valueOrderOf } from '../filters.js'
import { blockOf, sourcesOf, withBlock } from '../join-block.js'
import { isScalar, isStable, mayAggregate } from '../known-functions.js'
import { isNotNull } from '../nullability.js'
import { declaredType, type Facts } from '../table-facts.js'
import { countWhere } from '../values/count-normalization.js'
import { hasGroupingSets } from './grouping-sets.js'
import { hasNondeterministicColumns } from './nondeterministic-columns.js'

type Call = Expression & { kind: 'apply' }

/**
 * HAVING that asks for some row of the group: `max(x) > 5` is `count(CASE WHEN x > 5 THEN 1 END) > 0`, and where nothing
 * else is asked of the group, WHERE chooses such rows.
 */
export function havingExtremeToWhere(select: SelectShape, facts: Facts): SelectShape {
  if (select.having === undefined || select.groupBy.length === 0 || select.extras.length > 0) return select
  if (hasGroupingSets(select) || hasNondeterministicColumns(select, facts)) return select
  const block = blockOf(select)
  const own = sourcesOf(block)
  const conditions = conjuncts(select.having)
  const counted = mapAll(conditions, (condition) => {
    const extreme = extremeOf(condition)
    if (extreme === undefined || readsOnlyOuterColumns(extreme.value, own)) return condition
    return extremeToCountTest(extreme, facts, block.where) ?? condition
  })
  if (counted !== conditions) return { ...select, having: conjunction(counted) }
  const [only, ...others] = conditions
  const asked = others.length === 0 && only !== undefined ? conditionOfCountTest(only) : undefined
  const values = [...select.outputs, ...select.orderBy.map(({ by }) => by)]
  if (asked === undefined || values.some((value) => mayAggregate(value) || hasWindow(value))) return select
  return { ...withBlock(select, { ...block, where: [...block.where, asked] }), having: undefined }
}

/** A comparison of the greatest or least value with a literal. */
interface Extreme {
  readonly condition: Call
  readonly call: Call
  readonly value: Expression
}

function extremeOf(condition: Expression): Extreme | undefined {
  if (condition.kind !== 'apply' || (condition.op !== '<' && condition.op !== '<=')) return undefined
  const [left, right] = condition.args
  const [call, literal] = left?.kind === 'literal' ? [right, left] : [left, right]
  if (call?.kind !== 'apply' || literal?.kind !== 'literal' || (call.op !== 'max' && call.op !== 'min'))
    return undefined
  const [value, ...others] = call.args
  const isPlain = value !== undefined && others.length === 0 && isScalar(value) && isStable(value)
  return isPlain ? { condition, call, value } : undefined
}

/** Some value beyond the literal, or none, where every row has a value with a place in the order. */
function extremeToCountTest(
  { condition, call, value }: Extreme,
  facts: Facts,
  given: readonly Expression[],
): Expression | undefined {
  if (!valueOrderOf(facts).isOrdered(value)) return undefined
  const isExact = /int|decimal|numeric|date|time|char|text/u.test(declaredType(value, facts) ?? '')
  if (unorderedNaN.has(facts.dialect) && !isExact) return undefined
  const isLower = condition.args[1] === call
  const test = { ...condition, args: condition.args.map((arg) => (arg === call ? value : arg)) }
  if (isLower === (call.op === 'max')) return apply('<=', numberLiteral('1'), countWhere(test))
  if (!isNotNull(value, facts, given)) return undefined
  const [left, right] = test.args
  if (left === undefined || right === undefined) return undefined
  const beyond = apply(condition.op === '<' ? '<=' : '<', right, left)
  return apply('=', numberLiteral('0'), countWhere(beyond))
}

/** Returns the condition that some row must satisfy: `c` for `count(CASE WHEN c THEN 1 END) >= 1`. */
function conditionOfCountTest(condition: Expression): Expression | undefined {
  if (condition.kind !== 'apply' || condition.op !== '<=') return undefined
  const [one, count] = condition.args
  const [counted, ...more] = count?.kind === 'apply' && count.op === 'count' ? count.args : []
  if (!isNumberLiteral(one, '1') || counted === undefined || more.length > 0 || !isStable(counted))
    return undefined
  if (counted.kind === 'column') return apply('not', apply('is_null', counted))
  const [when, ...rest] = counted.kind === 'apply' && counted.op === 'case' ? counted.args : []
  const [test, result] = when?.kind === 'apply' && when.op === 'when' ? when.args : []
  return rest.length === 0 && isNumberLiteral(result, '1') ? test : undefined
}
