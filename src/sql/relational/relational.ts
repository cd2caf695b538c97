import type { Dialect } from '../../dialect.js'
import type { Expression, FromNode, QueryShape, SelectShape, SetShape } from '../shape/query-shape.js'
import { mapAll, rewriteQuery, withChanges } from '../shape/walk.js'
import type { Schema } from '../tables.js'
import { unifyAffinity } from './affinity.js'
import type { Assumptions } from './assumptions.js'
import { boundCounts } from './bounds.js'
import { propagateConstants } from './constants.js'
import { countRows } from './counts.js'
import { foldDates } from './date-arithmetic.js'
import { distinctToExists } from './distinct-derived.js'
import { collectFacts, type Facts } from './facts.js'
import { foldConstants } from './fold.js'
import { dropReferencedTable } from './foreign-keys.js'
import { narrowFullJoin } from './full-joins.js'
import { liftGrouping } from './grouped-derived.js'
import {
  dropDeterminedKeys,
  dropRedundantDistinct,
  groupingWithoutAggregates,
  havingToWhere,
} from './grouping.js'
import { inlinePlainDerived } from './inline.js'
import { dropKnownCoalesce } from './known-coalesce.js'
import { antiJoin, leftToInner } from './left-joins.js'
import { dropImpliedNotNull } from './not-null.js'
import { statePlaceOfNulls } from './order-nulls.js'
import { dropDecidedOrder, oneRow, withoutOrder } from './ordering.js'
import { scalarToJoin } from './scalar-subqueries.js'
import { mergeSelfJoin } from './self-joins.js'
import { existsToJoin } from './semi-joins.js'
import { flattenChain, mergeUnion, setOperationToExists, simplifyOperands } from './set-operations.js'
import { inToExists } from './subqueries.js'
import { distributeOverUnionAll } from './union-all.js'
import { dropUnusedCtes, dropUnusedLeftJoin, dropUnusedOutputs, dropUnusedRow } from './unused.js'

type Rule = (select: SelectShape, facts: Facts) => SelectShape

/** In the order in which they are tried; each leaves the rows as they are, or notes what it takes for granted. */
const rules: readonly Rule[] = [
  dropUnusedCtes,
  unorderDerived,
  dropUnusedOutputs,
  inlinePlainDerived,
  narrowFullJoin,
  leftToInner,
  antiJoin,
  dropUnusedLeftJoin,
  dropUnusedRow,
  inToExists,
  distinctToExists,
  (select, facts) => existsToJoin(select, facts, false),
  mergeSelfJoin,
  liftGrouping,
  scalarToJoin,
  dropImpliedNotNull,
  dropKnownCoalesce,
  dropReferencedTable,
  havingToWhere,
  groupingWithoutAggregates,
  dropDeterminedKeys,
  dropRedundantDistinct,
  countRows,
  propagateConstants,
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
): QueryShape {
  let current = query
  for (let round = 0; round < maxRounds; round++) {
    const facts = collectFacts(current, dialect, schema, assumptions)
    const next = oneRound(current, facts)
    if (next === current) break
    current = next
  }
  return current
}

function oneRound(query: QueryShape, facts: Facts): QueryShape {
  return rewriteQuery(query, {
    expression: (expression) =>
      asRows(boundCounts(foldDates(foldConstants(unifyAffinity(expression, facts)))), facts),
    query: (nested) =>
      nested.kind === 'select' ? simplifySelect(nested, facts) : simplifySet(nested, facts),
  })
}

function simplifySelect(select: SelectShape, facts: Facts): QueryShape {
  const simple = rules.reduce((current, rule) => settle(current, (next) => rule(next, facts)), select)
  return distributeOverUnionAll(simple)
}

function simplifySet(query: SetShape, facts: Facts): QueryShape {
  const flat = simplifyOperands(flattenChain(dropUnusedCtes(query)))
  const isSet =
    !flat.all && (flat.operation === 'union' || flat.operation === 'intersect' || flat.operation === 'except')
  const operands = isSet ? mapAll(flat.operands, (operand) => asRowSet(operand, facts)) : flat.operands
  const joined = operands === flat.operands ? flat : { ...flat, operands }
  const merged = mergeUnion(joined)
  return merged.kind === 'set' ? setOperationToExists(merged, facts) : merged
}

/** EXISTS asks for rows only. */
function asRows(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply' || expression.op !== 'exists') return expression
  const [inner] = expression.args
  if (inner?.kind !== 'query') return expression
  const query = asRowSet(withoutOrder(inner.query), facts)
  return query === inner.query ? expression : { ...expression, args: [{ kind: 'query', query }] }
}

function asRowSet(query: QueryShape, facts: Facts): QueryShape {
  return query.kind === 'select' ? settle(query, (select) => existsToJoin(select, facts, true)) : query
}

function settle(select: SelectShape, rule: (select: SelectShape) => SelectShape): SelectShape {
  let current = select
  for (let times = 0; times < 50; times++) {
    const next = rule(current)
    if (next === current) return current
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
