import type { Dialect } from '../../dialect.js'
import { compareInCase } from '../conditions/pushed-cases.js'
import { foldNull } from '../conditions/strict-null.js'
import { no } from '../conditions/truth.js'
import { unifyTruth } from '../conditions/truth-values.js'
import type { Expression, FromNode, QueryShape, SelectShape, SetShape } from '../shape/query-shape.js'
import { mapAll, rewriteExpression, rewriteQuery, withChanges } from '../shape/walk.js'
import type { Schema } from '../tables.js'
import { unifyAffinity } from './affinity.js'
import type { Assumptions } from './assumptions.js'
import { unifyAverage } from './averages.js'
import { boundCounts } from './bounds.js'
import { unifyCalendar } from './calendar.js'
import { propagateConstants } from './constants.js'
import { countNothing } from './count-nothing.js'
import { simplifyCountedCases } from './counted-cases.js'
import { countRows } from './counts.js'
import { foldDates } from './date-arithmetic.js'
import { unionOfDisjoint } from './disjoint-unions.js'
import { distinctRowsToAggregates } from './distinct-aggregates.js'
import { distinctToExists } from './distinct-derived.js'
import { emptyForm, isEmpty, withoutEmptyOperands } from './empty.js'
import { collectFacts, type Facts } from './facts.js'
import { simplifyFilters } from './filters.js'
import { firstRowToExtreme } from './first-row.js'
import { foldConstants } from './fold.js'
import { dropReferencedTable } from './foreign-keys.js'
import { unionToFullJoin } from './full-join-unions.js'
import { narrowFullJoin } from './full-joins.js'
import { mayAggregate } from './functions-known.js'
import { liftGrouping } from './grouped-derived.js'
import {
  dropDeterminedKeys,
  dropRedundantDistinct,
  groupingWithoutAggregates,
  havingToWhere,
} from './grouping.js'
import { dropLateral, inlinePlainDerived } from './inline.js'
import { dropInnerDistinct, liftDistinct } from './inner-distinct.js'
import { dropKnownCoalesce } from './known-coalesce.js'
import { leftAggregatesToScalars } from './left-aggregates.js'
import { antiJoin, leftToInner } from './left-joins.js'
import { leftMarkToExists } from './left-marks.js'
import { dropImpliedNotNull } from './not-null.js'
import { constantAggregates, liftOneRow, oneRowToScalar } from './one-row.js'
import { statePlaceOfNulls } from './order-nulls.js'
import { dropDecidedOrder, oneRow, withoutOrder } from './ordering.js'
import { mergePartialAggregates } from './partial-aggregates.js'
import { qualifyToWhere } from './qualify.js'
import { rankToExtreme } from './ranked-first.js'
import { dropRepeatedOperands } from './same-operands.js'
import { simplifyScalarQueries } from './scalar-queries.js'
import { scalarToJoin } from './scalar-subqueries.js'
import { mergeSelfJoin } from './self-joins.js'
import { existsToJoin } from './semi-joins.js'
import { flattenChain, mergeUnion, setOperationToExists, simplifyOperands } from './set-operations.js'
import { inToExists } from './subqueries.js'
import { unifyTimeLiterals } from './typed-literals.js'
import { distributeOverUnionAll } from './union-all.js'
import { dropUnusedCtes, dropUnusedLeftJoin, dropUnusedOutputs, dropUnusedRow } from './unused.js'
import { wholeWindowToScalar } from './whole-windows.js'
import { semiJoinToExists } from './written-semi-joins.js'

type Rule = (select: SelectShape, facts: Facts) => SelectShape

/** In the order in which they are tried; each leaves the rows as they are, or notes what it takes for granted. */
const rules: readonly Rule[] = [
  dropUnusedCtes,
  rankToExtreme,
  qualifyToWhere,
  semiJoinToExists,
  unorderDerived,
  dropUnusedOutputs,
  dropLateral,
  inlinePlainDerived,
  (select) => dropInnerDistinct(select, false),
  liftDistinct,
  mergePartialAggregates,
  distinctRowsToAggregates,
  wholeWindowToScalar,
  liftOneRow,
  oneRowToScalar,
  narrowFullJoin,
  leftToInner,
  antiJoin,
  leftMarkToExists,
  dropUnusedLeftJoin,
  dropUnusedRow,
  leftAggregatesToScalars,
  inToExists,
  distinctToExists,
  (select, facts) => existsToJoin(select, facts, false),
  mergeSelfJoin,
  liftGrouping,
  scalarToJoin,
  simplifyFilters,
  emptyForm,
  dropImpliedNotNull,
  (select, facts) => dropKnownCoalesce(select, facts),
  dropReferencedTable,
  havingToWhere,
  groupingWithoutAggregates,
  dropDeterminedKeys,
  dropRedundantDistinct,
  simplifyCountedCases,
  countRows,
  constantAggregates,
  countNothing,
  propagateConstants,
  firstRowToExtreme,
  oneRow,
  dropDecidedOrder,
  statePlaceOfNulls,
]

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
  const next = simplifyValue(expression, facts)
  if (next.kind !== 'apply' || steps > maxSteps) return next
  if (next === expression || isSameCall(next, expression)) return expression
  return rewriteExpression(next, {
    skips: () => true,
    query: (query) => query,
    expression: (part) => (part === next ? part : simplestValue(part, facts, steps + 1)),
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
  const simple = boundCounts(
    foldDates(foldConstants(unifyTruth(compareInCase(settled, dialect), dialect), dialect)),
  )
  const whole = unifyAverage(simplifyScalarQueries(unifyCalendar(simple, facts), facts), facts)
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
  return filled.kind === 'set' ? setOperationToExists(filled, facts) : filled
}

/** EXISTS asks for rows only; where there are none, it is false, and so is IN. */
function asRows(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply') return expression
  const inner = expression.args.at(-1)
  if (inner?.kind !== 'query' || (expression.op !== 'exists' && expression.op !== 'in')) return expression
  if (isEmpty(inner.query)) return no
  if (expression.op === 'in') return expression
  const query = asRowSet(withoutOrder(inner.query), facts)
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

function unorderDerived(select: SelectShape): SelectShape {
  if (select.from === undefined) return select
  const from = unorderedIn(select.from)
  return from === select.from ? select : { ...select, from }
}

function unorderedIn(node: FromNode): FromNode {
  if (node.kind === 'join')
    return withChanges(node, { left: unorderedIn(node.left), right: unorderedIn(node.right) })
  return node.kind === 'derived' ? withChanges(node, { query: withoutOrder(node.query) }) : node
}
