import { conjunction, conjuncts, type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { includesExpression } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { dependencyClosure, isKey } from '../functional-dependencies.js'
import { blockOf, isPlainSelect, withBlock } from '../join-block.js'
import { certainlyAggregates, mayAggregate } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { isTrueForEveryGroup } from '../values/integer-bounds.js'
import { hasGroupingSets } from './grouping-sets.js'

const anyConstant: Expression = { kind: 'literal', type: 'number', value: '1' }

/** A group key that others determine says nothing more; nor does a constant. */
export function dropDeterminedKeys(select: SelectShape, facts: Facts): SelectShape {
  if (select.groupBy.length === 0 || select.extras.length > 0 || select.outputs.some(isStar)) return select
  const block = blockOf(select)
  const constants = dependencyClosure([], block, facts)
  if (select.groupBy.every((key) => constants.has(key))) {
    const isSettled = select.groupBy.length === 1 && select.groupBy[0] === anyConstant
    // One group of all rows, if there are any: whichever constants they are grouped by.
    return isSettled ? select : { ...select, groupBy: [anyConstant] }
  }
  const ordered = select.groupBy.toSorted(
    (a, b) => Number(isKeyColumn(a, facts)) - Number(isKeyColumn(b, facts)),
  )
  for (const key of ordered) {
    const others = select.groupBy.filter((other) => other !== key)
    const { has } = dependencyClosure(others, block, facts)
    if (has(key)) return { ...select, groupBy: others }
  }
  return select
}

/** Keys of tables are kept rather than what they determine. */
function isKeyColumn(key: Expression, facts: Facts): boolean {
  if (key.kind !== 'column' || key.source === undefined) return false
  const name = key.name
  return facts.tables.get(key.source)?.keys.some(({ columns }) => columns.includes(name)) ?? false
}

/** HAVING on group keys alone filters rows before they are grouped. */
export function havingToWhere(select: SelectShape, facts: Facts): SelectShape {
  if (select.having === undefined || select.groupBy.length === 0 || select.extras.length > 0) return select
  if (hasGroupingSets(select)) return select
  const decided = conjuncts(select.having).filter((condition) => !isTrueForEveryGroup(condition))
  if (decided.length < conjuncts(select.having).length) return { ...select, having: conjunction(decided) }
  const block = blockOf(select)
  const { has } = dependencyClosure(select.groupBy, block, facts)
  const onKeys = (condition: Expression): boolean =>
    !mayAggregate(condition) && !hasSubquery(condition) && everyColumn(condition, has)
  const conditions = conjuncts(select.having)
  const moved = conditions.filter(onKeys)
  if (moved.length === 0) return select
  const rest = conjunction(conditions.filter((condition) => !moved.includes(condition)))
  return { ...withBlock(select, { ...block, where: [...block.where, ...moved] }), having: rest }
}

function everyColumn(value: Expression, has: (value: Expression) => boolean): boolean {
  if (has(value)) return true
  return value.kind === 'apply' && value.args.length > 0 && value.args.every((arg) => everyColumn(arg, has))
}

function hasSubquery(value: Expression): boolean {
  return value.kind === 'query' || (value.kind === 'apply' && value.args.some(hasSubquery))
}

/** Grouping without aggregates: as DISTINCT, or as nothing where the keys tell all rows apart. */
export function groupByToDistinct(select: SelectShape, facts: Facts): SelectShape {
  const { groupBy } = select
  if (groupBy.length === 0 || select.extras.length > 0 || select.qualify !== undefined) return select
  if (hasGroupingSets(select)) return select
  const values = [...select.outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)]
  if (values.some((value) => mayAggregate(value) || hasWindow(value) || isStar(value))) return select
  const block = blockOf(select)
  const where = [...block.where, ...conjuncts(select.having)]
  if (isKey(groupBy, block, facts))
    return { ...withBlock(select, { ...block, where }), groupBy: [], having: undefined }
  const { has } = dependencyClosure(groupBy, block, facts)
  const isWhole = groupBy.every((key) => key.kind === 'literal' || includesExpression(select.outputs, key))
  if (!isWhole || !values.every((value) => everyColumn(value, has)) || select.from === undefined)
    return select
  return { ...withBlock(select, { ...block, where }), groupBy: [], having: undefined, distinct: true }
}

/** DISTINCT over rows that differ anyway. */
export function dropRedundantDistinct(select: SelectShape, facts: Facts): SelectShape {
  if (
    !select.distinct ||
    select.extras.length > 0 ||
    select.outputs.some(isStar) ||
    select.qualify !== undefined
  )
    return select
  if (select.groupBy.length > 0) {
    const block = blockOf(select)
    const { has } = dependencyClosure(select.outputs, block, facts)
    return select.groupBy.every((key) => has(key)) ? { ...select, distinct: false } : select
  }
  if (select.outputs.some(certainlyAggregates))
    return select.outputs.some(hasWindow) ? select : { ...select, distinct: false }
  const isUnique =
    isPlainSelect({ ...select, limit: undefined, offset: undefined }) &&
    isKey(select.outputs, blockOf(select), facts)
  return isUnique ? { ...select, distinct: false } : select
}
