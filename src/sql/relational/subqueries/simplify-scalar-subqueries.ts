import { isNumberLiteral } from '../../functions/function-table.js'
import { unorderedNaN } from '../../normalize/predicates.js'
import { apply, conjunction, conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { isSameExpression, reads, readsOnlyOuterColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, sourcesOf } from '../join-block.js'
import { isStable, mayAggregate } from '../known-functions.js'
import { describeValue, isNotNull } from '../nullability.js'
import { defaultNullsFirst } from '../order/null-ordering.js'
import { declaredType, type Facts } from '../table-facts.js'
import { haveSameAffinity } from '../values/affinity.js'

/** Operators whose operands are values: a subquery among them is its one value, or NULL. */
const scalarOperators: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  '+',
  '-',
  '*',
  '/',
  'fdiv',
  'coalesce',
])

/**
 * Subqueries for one value in the form that asks for no order: `(SELECT x FROM t ORDER BY x DESC LIMIT 1)` is
 * `(SELECT max(x) FROM t)`, and whether `(SELECT count(*) FROM t) > 0` is whether EXISTS.
 */
export function simplifyScalarSubqueries(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply' || !scalarOperators.has(expression.op)) return expression
  const counted = countTest(expression)
  if (counted !== undefined) return counted
  const others = (arg: Expression): readonly Expression[] =>
    facts.dialect === 'sqlite' && comparisons.has(expression.op)
      ? expression.args.filter((other) => other !== arg)
      : []
  const args = mapAll(expression.args, (arg) => extreme(arg, others(arg), facts))
  return args === expression.args ? expression : { ...expression, args }
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<='])

/** @param compared what is compared with the value, where that converts one to the type of the other */
function extreme(value: Expression, compared: readonly Expression[], facts: Facts): Expression {
  if (value.kind !== 'query' || value.query.kind !== 'select') return value
  const { query } = value
  const [output, ...others] = query.outputs
  const [item, ...further] = query.orderBy
  if (output === undefined || item === undefined || others.length > 0 || further.length > 0) return value
  if (
    !isSimple(query) ||
    !isNumberLiteral(query.limit, '1') ||
    item.extras.length > 0 ||
    !isSameExpression(item.by, output)
  )
    return value
  if (mayAggregate(output) || hasWindow(output) || !isStable(output)) return value
  // An aggregate that reads only columns of an outer query belongs to that query.
  if (readsOnlyOuterColumns(output, sourcesOf(blockOf(query)))) return value
  const nullsFirst = item.nullsFirst ?? defaultNullsFirst(item, facts.dialect)
  const isFull =
    nullsFirst === false ||
    isNotNull(output, facts, conjuncts(query.where)) ||
    facts.assumptions.assume('nulls', `${describeValue(output, facts)}, which orders the rows, is never NULL`)
  if (!isFull || (item.descending && !hasTotalOrder(output, facts))) return value
  if (!compared.every((other) => haveSameAffinity(output, other, facts))) return value
  const best = apply(item.descending ? 'max' : 'min', output)
  return {
    kind: 'query',
    query: { ...query, outputs: [best], names: [undefined], distinct: false, orderBy: [], limit: undefined },
  }
}

/** Whether the greatest of the values is the last: a NaN is one of them only where it is above all numbers. */
export function hasTotalOrder(value: Expression, facts: Facts): boolean {
  if (!unorderedNaN.has(facts.dialect)) return true
  const type = declaredType(value, facts)
  const isExact = type !== undefined && !/real|floa|doub/u.test(type)
  return isExact || facts.assumptions.assume('types', `${describeValue(value, facts)} is never NaN`)
}

/** Without groups, and without clauses that leave rows out or are not known. */
function isSimple(query: SelectShape): boolean {
  const { groupBy, having, qualify, offset, extras } = query
  return (
    groupBy.length === 0 &&
    having === undefined &&
    qualify === undefined &&
    offset === undefined &&
    extras.length === 0 &&
    query.from !== undefined
  )
}

/** `0 < count`, `1 <= count`, `count <> 0`; and that there are none. */
function countTest({ op, args }: Expression & { kind: 'apply' }): Expression | undefined {
  const [left, right] = args
  const [first, second] = [numberOf(left), numberOf(right)]
  const query = args.length === 2 ? countedQuery(first === undefined ? left : right) : undefined
  if (query === undefined) return undefined
  const isAny =
    (op === '<' && first === 0) || (op === '<=' && first === 1) || (op === '<>' && (first ?? second) === 0)
  const isNone =
    (op === '=' && (first ?? second) === 0) || (op === '<' && second === 1) || (op === '<=' && second === 0)
  const exists = apply('exists', { kind: 'query', query })
  return isAny ? exists : isNone ? apply('not', exists) : undefined
}

function numberOf(value: Expression | undefined): number | undefined {
  return value?.kind === 'literal' && value.type === 'number' ? Number(value.value) : undefined
}

/** The rows that a scalar subquery counts. */
function countedQuery(value: Expression | undefined): SelectShape | undefined {
  if (value?.kind !== 'query' || value.query.kind !== 'select') return undefined
  const { query } = value
  const [output, ...others] = query.outputs
  const isPlain = isSimple(query) && query.limit === undefined && !query.distinct && others.length === 0
  if (!isPlain || output?.kind !== 'apply' || output.op !== 'count' || output.args.length !== 1)
    return undefined
  const [what] = output.args
  const of = what?.kind === 'apply' && what.op === 'distinct' && what.args.length === 1 ? what.args[0] : what
  if (of === undefined || !isStable(of)) return undefined
  const isAll = of.kind === 'literal' && of.type !== 'null'
  // An aggregate that reads only columns of an outer query belongs to that query.
  if (!isAll && !reads(of, sourcesOf(blockOf(query)))) return undefined
  const where = isAll
    ? query.where
    : conjunction([...conjuncts(query.where), apply('not', apply('is_null', of))])
  return { ...query, outputs: [], names: [], orderBy: [], where }
}
