import { falseLiteral, isFalse, isTrue } from '../conditions/boolean-expressions.js'
import {
  distinctConditions,
  toConjunctiveClauses,
  withoutSubsumedClauses,
} from '../conditions/conjunctive-normal-form.js'
import { expressionKey } from '../conditions/expression-key.js'
import { simplifyFilterCondition } from '../conditions/filter-condition.js'
import { mergeRanges } from '../conditions/merge-ranges.js'
import { dropImpliedConjuncts, type ValueOrder } from '../conditions/range-implication.js'
import { resolveDisjunctions } from '../conditions/resolve-disjunctions.js'
import { unorderedNaN } from '../normalize/predicates.js'
import { conjunction, conjuncts, type Expression, type SelectShape } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'
import { blockOf, type JoinBlock, withBlock } from './join-block.js'
import { certainlyAggregates } from './known-functions.js'
import { declaredType, type Facts } from './table-facts.js'
import { isIntegerValued } from './values/integer-values.js'
import { holdsDays } from './values/temporal-kinds.js'

/**
 * One form for the conditions that choose rows, pairs and groups, where unknown counts as false: clauses that hold
 * together, none implied by another, CASEs as conditions, no value asked to be two.
 */
export function simplifyFilters(select: SelectShape, facts: Facts): SelectShape {
  if (select.where === undefined && select.having === undefined && select.from?.kind !== 'join') return select
  const order = valueOrderOf(facts)
  const block = blockOf(select)
  const simple = (conditions: readonly Expression[]): readonly Expression[] =>
    simplified(conditions, order, facts)
  const where = simple(block.where)
  const lefts = mapAll(block.lefts, (left) => {
    const on = simple(left.on)
    return on === left.on ? left : { ...left, on }
  })
  const having = conjuncts(select.having)
  const simpler = simple(having)
  // HAVING alone makes all rows one group.
  const isOnlyGrouping =
    simpler.length === 0 && select.groupBy.length === 0 && !select.outputs.some(certainlyAggregates)
  const simpleHaving = isOnlyGrouping ? having : simpler
  const changed: JoinBlock = { items: block.items, lefts, where }
  const joined = where === block.where && lefts === block.lefts ? select : withBlock(select, changed)
  return simpleHaving === having ? joined : { ...joined, having: conjunction(simpleHaving) }
}

/** The same list where it is simple. */
function simplified(
  conditions: readonly Expression[],
  order: ValueOrder,
  facts: Facts,
): readonly Expression[] {
  if (conditions.length === 0) return conditions
  const clauses = distinctConditions(
    conditions.flatMap((condition) =>
      toConjunctiveClauses(simplifyFilterCondition(condition, facts.dialect), order),
    ),
  )
  if (clauses.some(isFalse))
    return conditions.length === 1 && isFalse(conditions[0]) ? conditions : [falseLiteral]
  const possible = resolveDisjunctions(clauses, order)
  if (possible.some(isFalse)) return [falseLiteral]
  const strong = mergeRanges(dropImpliedConjuncts(possible, order), (subject) => holdsDays(subject, facts))
  const told = withoutSubsumedClauses(strong).filter((clause) => !isTrue(clause))
  return sameKeys(told, conditions) ? conditions : told
}

function sameKeys(told: readonly Expression[], conditions: readonly Expression[]): boolean {
  const isSame = (clause: Expression, other: Expression | undefined): boolean =>
    other !== undefined && (clause === other || expressionKey(clause) === expressionKey(other))
  return told.length === conditions.length && told.every((clause, at) => isSame(clause, conditions[at]))
}

/** In SQLite a column compares as its declared type says, and may hold values of other types. */
export function valueOrderOf(facts: Facts): ValueOrder {
  return {
    isTotal: !unorderedNaN.has(facts.dialect),
    isInteger: (subject) => isIntegerValued(subject, facts),
    isOrdered: (subject) => facts.dialect !== 'sqlite' || isNumberColumn(subject, facts),
  }
}

export function isNumberColumn(subject: Expression, facts: Facts): boolean {
  if (subject.kind === 'apply') return subject.op === 'count'
  const type = declaredType(subject, facts)
  return type !== undefined && /int|real|floa|doub|decimal|numeric/u.test(type)
}
