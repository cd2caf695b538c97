import { conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll, someExpression } from '../../shape/rewrite-query.js'
import { queryReads } from '../column-references.js'
import { type DependencyClosure, dependencyClosure } from '../functional-dependencies.js'
import { blockOf, sourcesOf } from '../join-block.js'
import { isAggregateCall, isStable, mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'
import { hasGroupingSets } from './grouping-sets.js'

const extremes: ReadonlySet<string> = new Set(['min', 'max', 'any_value'])

/**
 * Aggregates that need no rows: in a group, which has a row, the least and the greatest of one value is that value, be it
 * a constant or decided by what the rows are grouped by.
 */
export function foldConstantAggregates(select: SelectShape, facts: Facts): SelectShape {
  if (select.groupBy.length === 0 || select.extras.length > 0 || hasGroupingSets(select)) return select
  const values = [...select.outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)]
  if (!values.some((value) => someExpression(value, isExtreme))) return select
  const block = blockOf(select)
  const own = sourcesOf(block)
  const determined = dependencyClosure(select.groupBy, block, facts)
  // In SQLite the one min() or max() of a query chooses the row of its plain columns.
  const isChoosing =
    facts.dialect === 'sqlite' && values.some((value) => showsUndeterminedValue(value, determined))
  const change = (value: Expression): Expression => {
    if (value.kind !== 'apply' || value.op === 'over') return value
    const [only] = value.args
    const isOfOne = isExtreme(value) && only !== undefined && value.args.length === 1
    if (isOfOne && (isConstant(only, own) || (!isChoosing && isDecided(only, determined)))) return only
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  return mapResultValues(select, change)
}

/** Whether it shows, outside aggregates, what may differ within a group. */
function showsUndeterminedValue(value: Expression, determined: DependencyClosure): boolean {
  if (value.kind === 'literal' || determined.has(value)) return false
  if (value.kind !== 'apply') return true
  return !isAggregateCall(value) && value.args.some((arg) => showsUndeterminedValue(arg, determined))
}

function isExtreme(value: Expression): boolean {
  return value.kind === 'apply' && extremes.has(value.op)
}

function isDecided(value: Expression, determined: DependencyClosure): boolean {
  return value.kind === 'column' && value.source !== undefined && determined.has(value)
}

/** Whether it is one value for all rows: literals, and subqueries that read nothing of them. */
function isConstant(value: Expression, own: ReadonlySet<number>): boolean {
  if (value.kind === 'literal') return value.type !== 'word'
  if (value.kind === 'query') return isStable(value) && !queryReads(value.query, own)
  if (value.kind !== 'apply' || mayAggregate(value)) return false
  return value.args.length > 0 && value.args.every((arg) => isConstant(arg, own))
}
