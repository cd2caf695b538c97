import type { Dialect } from '../../enums/dialect.js'
import { compareInCase } from '../conditions/pushed-cases.js'
import { foldNull } from '../conditions/strict-null.js'
import { no } from '../conditions/truth.js'
import { unifyTruth } from '../conditions/truth-values.js'
import type { Expression, QueryShape, SelectShape, SetShape } from '../shape/query-shape.js'
import { mapAll, rewriteExpression, rewriteQuery } from '../shape/walk.js'
import type { Schema } from '../tables/tables.js'
import type { Assumptions } from './assumptions.js'
import { collectFacts, type Facts } from './facts.js'
import { mayAggregate } from './functions-known.js'
import { unionToFullJoin } from './joins/full-join-unions.js'
import { existsToJoin } from './joins/semi-joins.js'
import { statePlaceOfNullsInSet } from './order/order-nulls.js'
import { withoutOrder } from './order/ordering.js'
import { rules } from './rules.js'
import { unionOfDisjoint } from './sets/disjoint-unions.js'
import { isEmpty, withoutEmptyOperands } from './sets/empty.js'
import { dropRepeatedOperands } from './sets/same-operands.js'
import { flattenChain, mergeUnion, setOperationToExists, simplifyOperands } from './sets/set-operations.js'
import { distributeOverUnionAll } from './sets/union-all.js'
import { decidedExists, withoutLimit } from './subqueries/exists-rows.js'
import { inlinePlainDerived } from './subqueries/inline.js'
import { dropInnerDistinct } from './subqueries/inner-distinct.js'
import { mergeTests } from './subqueries/merged-tests.js'
import { simplifyScalarQueries } from './subqueries/scalar-queries.js'
import { splitExists } from './subqueries/split-exists.js'
import { dropUnusedCtes } from './subqueries/unused.js'
import { unifyAffinity } from './values/affinity.js'
import { unifyAverage } from './values/averages.js'
import { boundIntegers } from './values/bounds.js'
import { unifyBuckets } from './values/bucket-cases.js'
import { unifyCalendar } from './values/calendar.js'
import { unifyCounts } from './values/counted.js'
import { foldDates, unifyDayShifts } from './values/date-arithmetic.js'
import { unifyDatePrefix } from './values/date-prefixes.js'
import { unifyDayDifference } from './values/day-differences.js'
import { foldConstants } from './values/fold.js'
import { dropKnownCoalesce } from './values/known-coalesce.js'
import { unifyNullHabits } from './values/null-habits.js'
import { unifyTruthSums } from './values/truth-sums.js'
import { unifyTimeLiterals } from './values/typed-literals.js'

/** More rounds than real queries need. */
const maxRounds = 12

/** Rewrites the query by the rules, innermost parts first, until none applies. */
export function applyRules(
  query: QueryShape,
  dialect: Dialect,
  schema: Schema | undefined,
  assumptions: Assumptions,
  times: ReadonlySet<string>,
): QueryShape {
  let current = query
  const settled = new WeakSet<QueryShape>()
  for (let round = 0; round < maxRounds; round++) {
    const facts = collectFacts(current, dialect, schema, assumptions, times)
    const next = oneRound(current, facts, settled)
    if (next === current) return next.kind === 'select' ? dropKnownCoalesce(next, facts, true) : next
    current = next
  }
  return current
}

/** Queries that no rule changes are settled: later rounds, which change what is around them, pass them over. */
function oneRound(query: QueryShape, facts: Facts, settled: WeakSet<QueryShape>): QueryShape {
  return rewriteQuery(query, {
    skips: (nested) => settled.has(nested),
    expression: (expression) => asRows(simplestValue(expression, facts), facts),
    query: (nested) => {
      const simple = nested.kind === 'select' ? simplifySelect(nested, facts) : simplifySet(nested, facts)
      if (simple === nested) settled.add(nested)
      return simple
    },
  })
}

/** A value is simplified this often at most. */
const maxSteps = 30

/** A value in which no part can be simplified any more. */
function simplestValue(expression: Expression, facts: Facts, steps = 0): Expression {
  if (expression.kind !== 'apply') return expression
  const next = simplifyValue(expression, facts)
  if (next.kind !== 'apply' || steps > maxSteps) return next
  if (next === expression || isSameCall(next, expression)) return expression
  return rewriteExpression(next, {
    skips: () => true,
    query: (query) => query,
    expression: (part) => simplestValue(part, facts, steps + 1),
  })
}

/** Whether a rule has only built anew what was there. */
function isSameCall(next: Expression & { kind: 'apply' }, expression: Expression): boolean {
  return (
    expression.kind === 'apply' &&
    next.op === expression.op &&
    next.args.length === expression.args.length &&
    next.args.every((arg, at) => arg === expression.args[at])
  )
}

function simplifyValue(expression: Expression, facts: Facts): Expression {
  const { dialect } = facts
  const settled = foldNull(unifyTimeLiterals(unifyAffinity(expression, facts), facts))
  const simple = boundIntegers(
    foldDates(foldConstants(unifyTruth(compareInCase(settled, dialect), dialect), dialect), dialect),
    facts,
  )
  const bucketed = unifyBuckets(unifyDatePrefix(simple, facts), facts)
  const dated = unifyDayDifference(unifyDayShifts(unifyCalendar(bucketed, facts), dialect), facts)
  const counted = unifyCounts(unifyNullHabits(dated, facts), dialect)
  const tested = mergeTests(simplifyScalarQueries(counted, facts))
  const whole = unifyAverage(unifyTruthSums(tested, facts), facts)
  if (whole !== simple) return whole
  // Without its last aggregate a query of one row would have a row for each of its table.
  return simple !== expression && mayAggregate(expression) && !mayAggregate(simple) ? expression : simple
}

function simplifySelect(select: SelectShape, facts: Facts): QueryShape {
  let simple = select
  for (const rule of rules) {
    const next = rule(simple, facts)
    if (next !== simple) simple = settle(noted(next, facts), (again) => rule(again, facts), facts)
  }
  return distributeOverUnionAll(simple, facts)
}

function noted(select: SelectShape, facts: Facts): SelectShape {
  facts.note(select.from)
  return select
}

function simplifySet(query: SetShape, facts: Facts): QueryShape {
  const chain = unionToFullJoin(flattenChain(dropUnusedCtes(query)))
  if (chain.kind === 'select') return chain
  const flat = simplifyOperands(unionOfDisjoint(chain, facts))
  const isSet =
    !flat.all && (flat.operation === 'union' || flat.operation === 'intersect' || flat.operation === 'except')
  const operands = isSet ? mapAll(flat.operands, (operand) => asRowSet(operand, facts)) : flat.operands
  const joined = operands === flat.operands ? flat : { ...flat, operands }
  const merged = mergeUnion(joined, facts)
  const once = merged.kind === 'set' ? dropRepeatedOperands(merged) : merged
  const filled = once.kind === 'set' ? withoutEmptyOperands(once) : once
  return filled.kind === 'set' ? setOperationToExists(statePlaceOfNullsInSet(filled, facts), facts) : filled
}

/** EXISTS asks for rows only; where there are none, it is false, and so is IN. */
function asRows(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply') return expression
  const inner = expression.args.at(-1)
  if (inner?.kind !== 'query' || (expression.op !== 'exists' && expression.op !== 'in')) return expression
  if (isEmpty(inner.query)) return no
  if (expression.op === 'in') return expression
  const decided = decidedExists(inner.query)
  if (decided !== undefined) return mergeTests(decided)
  const query = asRowSet(withoutOrder(withoutLimit(inner.query)), facts)
  const split = splitExists(query, facts)
  if (split !== undefined) return split
  return query === inner.query ? expression : { ...expression, args: [{ kind: 'query', query }] }
}

function asRowSet(query: QueryShape, facts: Facts): QueryShape {
  if (query.kind !== 'select') return query
  return settle(
    query,
    (select) => existsToJoin(inlinePlainDerived(dropInnerDistinct(select, true), facts), facts, true),
    facts,
  )
}

function settle(select: SelectShape, rule: (select: SelectShape) => SelectShape, facts: Facts): SelectShape {
  let current = select
  for (let times = 0; times < 50; times++) {
    const next = rule(current)
    if (next === current) return current
    facts.note(next.from)
    current = next
  }
  return current
}
