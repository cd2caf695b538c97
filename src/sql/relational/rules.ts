import type { FromNode, SelectShape } from '../shape/query-shape.js'
import { withChanges } from '../shape/walk.js'
import { hasWindow } from './duplicates.js'
import type { Facts } from './facts.js'
import { simplifyFilters } from './filters.js'
import { constantAggregates } from './groups/constant-aggregates.js'
import { countNothing } from './groups/count-nothing.js'
import { simplifyCountedCases } from './groups/counted-cases.js'
import { countRows } from './groups/counts.js'
import { distinctRowsToAggregates } from './groups/distinct-aggregates.js'
import { countKeysOfMatches } from './groups/distinct-counts.js'
import { dropGivenKeys } from './groups/given-keys.js'
import { dropGivenTest } from './groups/given-values.js'
import { liftGrouping } from './groups/grouped-derived.js'
import {
  dropDeterminedKeys,
  dropRedundantDistinct,
  groupingWithoutAggregates,
  havingToWhere,
} from './groups/grouping.js'
import { havingSome } from './groups/having-some.js'
import { mergeJoinedAggregates } from './groups/joined-aggregates.js'
import { leftAggregatesToScalars } from './groups/left-aggregates.js'
import { mergeScalars } from './groups/merged-scalars.js'
import { liftOneRow, oneRowToScalar } from './groups/one-row.js'
import { mergePartialAggregates } from './groups/partial-aggregates.js'
import { partitionWindowToJoin } from './groups/partition-windows.js'
import { mergeSameGroups } from './groups/same-groups.js'
import { ungroupSingleRows } from './groups/single-row-groups.js'
import { sumWithZeros } from './groups/sums-with-zero.js'
import { wholeWindowToScalar } from './groups/whole-windows.js'
import { dropReferencedTable } from './joins/foreign-keys.js'
import { narrowFullJoin } from './joins/full-joins.js'
import { antiJoin, leftToInner } from './joins/left-joins.js'
import { leftMarkToExists } from './joins/left-marks.js'
import { filterMatches, joinOfAggregates } from './joins/matched-aggregates.js'
import { countMatches } from './joins/matched-counts.js'
import { mergeSelfJoin } from './joins/self-joins.js'
import { existsToJoin } from './joins/semi-joins.js'
import { semiJoinToExists } from './joins/written-semi-joins.js'
import { firstRowToExtreme } from './order/first-row.js'
import { noneGreaterToExtreme } from './order/none-greater.js'
import { statePlaceOfNulls } from './order/order-nulls.js'
import { dropDecidedOrder, oneRow, withoutOrder } from './order/ordering.js'
import { rankToExtreme } from './order/ranked-first.js'
import { rowNumberToLimit } from './order/row-number.js'
import { dropDecidedWindowKeys } from './order/windows.js'
import { emptyForm } from './sets/empty.js'
import { inlineConstantOutputs } from './subqueries/constant-outputs.js'
import { distinctToExists } from './subqueries/distinct-derived.js'
import { distinctOnToQualify } from './subqueries/distinct-on.js'
import { inToExists } from './subqueries/in-to-exists.js'
import { dropLateral, inlinePlainDerived } from './subqueries/inline.js'
import { dropInnerDistinct, liftDistinct } from './subqueries/inner-distinct.js'
import { liftFromScalars } from './subqueries/lifted-functions.js'
import { lookupToJoin } from './subqueries/lookups.js'
import { pushFilters } from './subqueries/pushed-filters.js'
import { qualifyToWhere } from './subqueries/qualify.js'
import { dropRepeatedOutputs } from './subqueries/repeated-outputs.js'
import { scalarToJoin } from './subqueries/scalar-subqueries.js'
import { sureScalarToJoin } from './subqueries/sure-scalars.js'
import { dropUnusedCtes, dropUnusedLeftJoin, dropUnusedOutputs, dropUnusedRow } from './subqueries/unused.js'
import { inlineWindowed } from './subqueries/windowed-derived.js'
import { propagateConstants } from './values/constants.js'
import { dropKnownCoalesce } from './values/known-coalesce.js'
import { equalUnlessNull } from './values/known-equal.js'
import { lagDefaultToCoalesce } from './values/lag-defaults.js'
import { dropImpliedNotNull } from './values/not-null.js'

/** A rewrite of one SELECT; the same object where it does not apply. */
export type Rule = (select: SelectShape, facts: Facts) => SelectShape

/** A rule about derived tables in FROM, which most queries do without. */
function overDerived(rule: Rule): Rule {
  return (select, facts) => (facts.derived.size === 0 ? select : rule(select, facts))
}

/** In the order in which they are tried; each leaves the rows as they are, or notes what it takes for granted. */
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
  // What all groups add up to is what their rows do, as long as they are groups of this query.
  overDerived((select, facts) => (select.outputs.some(hasWindow) ? liftGrouping(select, facts) : select)),
  wholeWindowToScalar,
  partitionWindowToJoin,
  overDerived(liftOneRow),
  overDerived(oneRowToScalar),
  mergeScalars,
  liftFromScalars,
  lookupToJoin,
  narrowFullJoin,
  filterMatches,
  joinOfAggregates,
  leftToInner,
  antiJoin,
  leftMarkToExists,
  dropUnusedLeftJoin,
  overDerived(dropUnusedRow),
  countMatches,
  leftAggregatesToScalars,
  inToExists,
  dropRepeatedOutputs,
  overDerived(distinctToExists),
  (select, facts) => existsToJoin(select, facts, false),
  countKeysOfMatches,
  mergeSelfJoin,
  overDerived(mergeSameGroups),
  overDerived(liftGrouping),
  noneGreaterToExtreme,
  scalarToJoin,
  sureScalarToJoin,
  overDerived(dropGivenKeys),
  simplifyFilters,
  emptyForm,
  dropImpliedNotNull,
  equalUnlessNull,
  lagDefaultToCoalesce,
  (select, facts) => dropKnownCoalesce(select, facts),
  overDerived(pushFilters),
  overDerived(inlineWindowed),
  dropReferencedTable,
  havingToWhere,
  havingSome,
  ungroupSingleRows,
  groupingWithoutAggregates,
  dropDeterminedKeys,
  dropRedundantDistinct,
  simplifyCountedCases,
  dropGivenTest,
  sumWithZeros,
  countRows,
  constantAggregates,
  countNothing,
  propagateConstants,
  firstRowToExtreme,
  oneRow,
  dropDecidedOrder,
  dropDecidedWindowKeys,
  statePlaceOfNulls,
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
