import type { Dialect } from '../../enums/dialect.js'
import { falseLiteral } from '../conditions/boolean-expressions.js'
import { normalizeBooleanTest } from '../conditions/boolean-tests.js'
import { propagateNull } from '../conditions/null-propagation.js'
import { pushComparisonIntoCase } from '../conditions/push-comparison-into-case.js'
import type { Expression, QueryShape, SelectShape, SetShape } from '../shape/query-shape.js'
import { mapAll, rewriteExpression, rewriteQuery } from '../shape/rewrite-query.js'
import type { Schema } from '../tables/table-schema.js'
import type { Assumptions } from './assumptions.js'
import { existsToJoin } from './joins/exists-to-join.js'
import { unionToFullJoin } from './joins/full-join-unions.js'
import { mayAggregate } from './known-functions.js'
import { makeNullOrderExplicitInSet } from './order/null-ordering.js'
import { withoutOrder } from './order/redundant-order-keys.js'
import { rules } from './rules.js'
import { disjointUnionToUnionAll } from './sets/disjoint-unions.js'
import { isEmpty, withoutEmptyOperands } from './sets/empty-queries.js'
import { dropRepeatedOperands } from './sets/same-operands.js'
import {
  flattenChain,
  mergeUnion,
  setOperationToExists,
  simplifyOperands,
} from './sets/set-operation-rules.js'
import { distributeOverUnionAll } from './sets/union-all.js'
import { simplifyExistsQuery, withoutLimit } from './subqueries/exists-simplification.js'
import { inlinePlainDerived } from './subqueries/inline.js'
import { dropInnerDistinct } from './subqueries/inner-distinct.js'
import { mergeExistsTests } from './subqueries/merge-exists-tests.js'
import { simplifyScalarSubqueries } from './subqueries/simplify-scalar-subqueries.js'
import { splitExists } from './subqueries/split-exists.js'
import { dropUnusedCtes } from './subqueries/unused-joins.js'
import { collectFacts, type Facts } from './table-facts.js'
import { applyAffinity } from './values/affinity.js'
import { normalizeAverage } from './values/averages.js'
import { normalizeBooleanSums } from './values/boolean-sums.js'
import { normalizeBuckets } from './values/bucket-cases.js'
import { foldConstants } from './values/constant-folding.js'
import { normalizeCounts } from './values/count-normalization.js'
import { dayShiftsToIntervals, foldDateArithmetic } from './values/date-arithmetic.js'
import { normalizeDateConditions } from './values/date-conditions.js'
import { normalizeDatePrefix } from './values/date-prefixes.js'
import { normalizeDayDifference } from './values/day-differences.js'
import { normalizeIntegerBounds } from './values/integer-bounds.js'
import { normalizeNullHandling } from './values/null-handling.js'
import { dropRedundantCoalesce } from './values/redundant-coalesce.js'
import { normalizeTemporalLiterals } from './values/temporal-literals.js'

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
    const next = applyRound(current, facts, settled)
    if (next === current) return next.kind === 'select' ? dropRedundantCoalesce(next, facts, true) : next
    current = next
  }
  return current
}

/** Queries that no rule changes are settled: later rounds, which change what is around them, pass them over. */
function applyRound(query: QueryShape, facts: Facts, settled: WeakSet<QueryShape>): QueryShape {
  return rewriteQuery(query, {
    skips: (nested) => settled.has(nested),
    expression: (expression) => simplifyExistence(simplifyToFixpoint(expression, facts), facts),
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
function simplifyToFixpoint(expression: Expression, facts: Facts, steps = 0): Expression {
  if (expression.kind !== 'apply') return expression
  const next = simplifyValue(expression, facts)
  if (next.kind !== 'apply' || steps > maxSteps) return next
  if (next === expression || isSameCall(next, expression)) return expression
  return rewriteExpression(next, {
    skips: () => true,
    query: (query) => query,
    expression: (part) => simplifyToFixpoint(part, facts, steps + 1),
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
  const settled = propagateNull(normalizeTemporalLiterals(applyAffinity(expression, facts), facts))
  const simple = normalizeIntegerBounds(
    foldDateArithmetic(
      foldConstants(normalizeBooleanTest(pushComparisonIntoCase(settled, dialect), dialect), dialect),
      dialect,
    ),
    facts,
  )
  const bucketed = normalizeBuckets(normalizeDatePrefix(simple, facts), facts)
  const dated = normalizeDayDifference(
    dayShiftsToIntervals(normalizeDateConditions(bucketed, facts), dialect),
    facts,
  )
  const counted = normalizeCounts(normalizeNullHandling(dated, facts), dialect)
  const tested = mergeExistsTests(simplifyScalarSubqueries(counted, facts))
  const whole = normalizeAverage(normalizeBooleanSums(tested, facts), facts)
  if (whole !== simple) return whole
  // Without its last aggregate a query of one row would have a row for each of its table.
  return simple !== expression && mayAggregate(expression) && !mayAggregate(simple) ? expression : simple
}

function simplifySelect(select: SelectShape, facts: Facts): QueryShape {
  let simple = select
  for (const rule of rules) {
    const next = rule(simple, facts)
    if (next !== simple)
      simple = applyToFixpoint(withSourcesAdded(next, facts), (again) => rule(again, facts), facts)
  }
  return distributeOverUnionAll(simple, facts)
}

function withSourcesAdded(select: SelectShape, facts: Facts): SelectShape {
  facts.addSources(select.from)
  return select
}

function simplifySet(query: SetShape, facts: Facts): QueryShape {
  const chain = unionToFullJoin(flattenChain(dropUnusedCtes(query)))
  if (chain.kind === 'select') return chain
  const flat = simplifyOperands(disjointUnionToUnionAll(chain, facts))
  const isSet =
    !flat.all && (flat.operation === 'union' || flat.operation === 'intersect' || flat.operation === 'except')
  const operands = isSet ? mapAll(flat.operands, (operand) => asRowSet(operand, facts)) : flat.operands
  const joined = operands === flat.operands ? flat : { ...flat, operands }
  const merged = mergeUnion(joined, facts)
  const once = merged.kind === 'set' ? dropRepeatedOperands(merged) : merged
  const filled = once.kind === 'set' ? withoutEmptyOperands(once) : once
  return filled.kind === 'set'
    ? setOperationToExists(makeNullOrderExplicitInSet(filled, facts), facts)
    : filled
}

/** EXISTS asks for rows only; where there are none, it is false, and so is IN. */
function simplifyExistence(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply') return expression
  const inner = expression.args.at(-1)
  if (inner?.kind !== 'query' || (expression.op !== 'exists' && expression.op !== 'in')) return expression
  if (isEmpty(inner.query)) return falseLiteral
  if (expression.op === 'in') return expression
  const decided = simplifyExistsQuery(inner.query)
  if (decided !== undefined) return mergeExistsTests(decided)
  const query = asRowSet(withoutOrder(withoutLimit(inner.query)), facts)
  const split = splitExists(query, facts)
  if (split !== undefined) return split
  return query === inner.query ? expression : { ...expression, args: [{ kind: 'query', query }] }
}

function asRowSet(query: QueryShape, facts: Facts): QueryShape {
  if (query.kind !== 'select') return query
  return applyToFixpoint(
    query,
    (select) => existsToJoin(inlinePlainDerived(dropInnerDistinct(select, true), facts), facts, true),
    facts,
  )
}

function applyToFixpoint(
  select: SelectShape,
  rule: (select: SelectShape) => SelectShape,
  facts: Facts,
): SelectShape {
  let current = select
  for (let times = 0; times < 50; times++) {
    const next = rule(current)
    if (next === current) return current
    facts.addSources(next.from)
    current = next
  }
  return current
}
