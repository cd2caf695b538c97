import type { FromNode, SelectShape } from '../shape/query-shape.js'
import { withChanges } from '../shape/rewrite-query.js'
import { hasWindow } from './duplicate-insensitivity.js'
import { simplifyFilters } from './filters.js'
import { pushCoalesceIntoSum } from './groups/coalesce-into-sum.js'
import { simplifyConditionalAggregates } from './groups/conditional-aggregates.js'
import { foldConstantAggregates } from './groups/constant-aggregates.js'
import { foldCountOfNull } from './groups/count-of-null.js'
import { countToCountStar } from './groups/count-to-count-star.js'
import { distinctRowsToAggregates } from './groups/distinct-aggregates.js'
import { existsToCountDistinct } from './groups/exists-to-count-distinct.js'
import {
  dropDeterminedKeys,
  dropRedundantDistinct,
  groupByToDistinct,
  havingToWhere,
} from './groups/group-by-simplification.js'
import { liftGrouping } from './groups/grouped-derived.js'
import { havingExtremeToWhere } from './groups/having-to-exists-test.js'
import { mergeIdenticalGroupings } from './groups/identical-groupings.js'
import { mergeJoinedAggregates } from './groups/joined-aggregates.js'
import { leftAggregatesToScalars } from './groups/left-aggregates.js'
import { mergeScalarSubqueries } from './groups/merge-scalar-subqueries.js'
import { notNullFilterToCount } from './groups/not-null-to-count.js'
import { mergePartialAggregates } from './groups/partial-aggregates.js'
import { partitionWindowToJoin } from './groups/partition-windows.js'
import { dropRedundantKeyNotNull } from './groups/redundant-key-not-null.js'
import { liftSingleRow, singleRowToScalar } from './groups/single-row-aggregates.js'
import { ungroupSingleRows } from './groups/single-row-groups.js'
import { unpartitionedWindowToScalar } from './groups/unpartitioned-windows.js'
import {
  aggregateFilterToJoin,
  leftToInnerUnderAggregates,
} from './joins/aggregate-condition-to-join-condition.js'
import { existsToJoin } from './joins/exists-to-join.js'
import { dropReferencedTable } from './joins/foreign-keys.js'
import { narrowFullJoin } from './joins/full-joins.js'
import { normalizeLeftJoinCounts } from './joins/left-join-counts.js'
import { leftJoinTestToExists } from './joins/left-join-to-exists.js'
import { leftJoinToAntiJoin, leftToInner } from './joins/left-joins.js'
import { mergeSelfJoin } from './joins/self-joins.js'
import { semiJoinToExists } from './joins/semi-join-to-exists.js'
import { firstRowToExtreme } from './order/first-row-to-extreme.js'
import { notExistsGreaterToExtreme } from './order/not-exists-greater.js'
import { makeNullOrderExplicit } from './order/null-ordering.js'
import { rankToExtreme } from './order/rank-to-extreme.js'
import { dropOrderOfSingleRow, dropRedundantOrderKeys, withoutOrder } from './order/redundant-order-keys.js'
import { dropRedundantWindowKeys } from './order/redundant-window-keys.js'
import { rowNumberToLimit } from './order/row-number.js'
import { canonicalizeEmptyQuery } from './sets/empty-queries.js'
import { inlineConstantOutputs } from './subqueries/constant-outputs.js'
import { distinctToExists } from './subqueries/distinct-derived.js'
import { distinctOnToQualify } from './subqueries/distinct-on.js'
import { pushDownFilters } from './subqueries/filter-pushdown.js'
import { inToExists } from './subqueries/in-to-exists.js'
import { dropLateral, inlinePlainDerived } from './subqueries/inline.js'
import { dropInnerDistinct, liftDistinct } from './subqueries/inner-distinct.js'
import { liftFunctionsFromScalars } from './subqueries/lift-scalar-functions.js'
import { lookupToJoin } from './subqueries/lookup-to-join.js'
import { qualifyToWhere } from './subqueries/qualify.js'
import { dropRepeatedOutputs } from './subqueries/repeated-outputs.js'
import { scalarToJoin } from './subqueries/scalar-subquery-to-join.js'
import { selfCorrelatedAggregateToJoin } from './subqueries/self-correlated-aggregates.js'
import {
  dropUnusedCtes,
  dropUnusedLeftJoin,
  dropUnusedOutputs,
  dropUnusedRow,
} from './subqueries/unused-joins.js'
import { inlineWindowed } from './subqueries/windowed-derived.js'
import type { Facts } from './table-facts.js'
import { propagateConstants } from './values/constant-propagation.js'
import { lagDefaultToCoalesce } from './values/lag-defaults.js'
import { dropImpliedNotNull } from './values/not-null.js'
import { nullSafeToPlainEquality } from './values/null-safe-equality.js'
import { dropRedundantCoalesce } from './values/redundant-coalesce.js'

/** A rewrite of one SELECT; the same object where it does not apply. */
export type Rule = (select: SelectShape, facts: Facts) => SelectShape

/** A rule about derived tables in FROM, which most queries do without. */
function overDerived(rule: Rule): Rule {
  return (select, facts) => (facts.derived.size === 0 ? select : rule(select, facts))
}

/** In the order in which they are tried; each leaves the rows as they are, or records what it assumes. */
export const rules: readonly Rule[] = [
  dropUnusedCtes,
  rankToExtreme,
  overDerived(rowNumberToLimit),
  distinctOnToQualify,
  qualifyToWhere,
  semiJoinToExists,
  overDerived(unorderDerived),
  overDerived(inlineConstantOutputs),
  overDerived(dropUnusedOutputs),
  dropLateral,
  overDerived(inlinePlainDerived),
  overDerived((select) => dropInnerDistinct(select, false)),
  overDerived(liftDistinct),
  overDerived(mergePartialAggregates),
  overDerived(mergeJoinedAggregates),
  overDerived(distinctRowsToAggregates),
  // The sum over all groups is the sum over their rows, as long as the groups are formed by this query.
  overDerived((select, facts) => (select.outputs.some(hasWindow) ? liftGrouping(select, facts) : select)),
  unpartitionedWindowToScalar,
  partitionWindowToJoin,
  overDerived(liftSingleRow),
  overDerived(singleRowToScalar),
  mergeScalarSubqueries,
  liftFunctionsFromScalars,
  lookupToJoin,
  narrowFullJoin,
  aggregateFilterToJoin,
  leftToInnerUnderAggregates,
  leftToInner,
  leftJoinToAntiJoin,
  leftJoinTestToExists,
  dropUnusedLeftJoin,
  overDerived(dropUnusedRow),
  normalizeLeftJoinCounts,
  leftAggregatesToScalars,
  inToExists,
  dropRepeatedOutputs,
  overDerived(distinctToExists),
  (select, facts) => existsToJoin(select, facts, false),
  existsToCountDistinct,
  mergeSelfJoin,
  overDerived(mergeIdenticalGroupings),
  overDerived(liftGrouping),
  notExistsGreaterToExtreme,
  scalarToJoin,
  selfCorrelatedAggregateToJoin,
  overDerived(dropRedundantKeyNotNull),
  simplifyFilters,
  canonicalizeEmptyQuery,
  dropImpliedNotNull,
  nullSafeToPlainEquality,
  lagDefaultToCoalesce,
  (select, facts) => dropRedundantCoalesce(select, facts),
  overDerived(pushDownFilters),
  overDerived(inlineWindowed),
  dropReferencedTable,
  havingToWhere,
  havingExtremeToWhere,
  ungroupSingleRows,
  groupByToDistinct,
  dropDeterminedKeys,
  dropRedundantDistinct,
  simplifyConditionalAggregates,
  notNullFilterToCount,
  pushCoalesceIntoSum,
  countToCountStar,
  foldConstantAggregates,
  foldCountOfNull,
  propagateConstants,
  firstRowToExtreme,
  dropOrderOfSingleRow,
  dropRedundantOrderKeys,
  dropRedundantWindowKeys,
  makeNullOrderExplicit,
]

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
