import { isNonNullLiteral } from '../../conditions/boolean-expressions.js'
import { type LeftJoin, poolLeaves } from '../../normalize/join-pool.js'
import {
  apply,
  conjunction,
  conjuncts,
  type Expression,
  isStar,
  type SelectShape,
} from '../../shape/query-shape.js'
import { hasQuery, mapAll } from '../../shape/rewrite-query.js'
import { type Column, includesExpression, reads } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { hasGroupingSets } from '../groups/grouping-sets.js'
import { blockOf, type JoinBlock, withBlock } from '../join-block.js'
import {
  certainlyAggregates,
  isAggregateCall,
  isDuplicateInsensitiveAggregate,
  isStable,
  mayAggregate,
  plainAggregates,
} from '../known-functions.js'
import { isColumnOf, isNullWhere, rejectsNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'
import { notNullMatchColumn } from './left-join-counts.js'

type Call = Expression & { kind: 'apply' }

/**
 * Moves a condition that all aggregates have on the rows of a left join into the join's condition:
 * `sum(CASE WHEN b.k = 1 THEN b.x END)` with `LEFT JOIN b ON …` becomes `sum(b.x)` with `LEFT JOIN b ON … AND b.k = 1`.
 * Each left row keeps at least one row either way, so the groups stay the same; nothing else may depend on how often it
 * occurs.
 */
export function aggregateFilterToJoin(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  if (block.lefts.length === 0 || !isPlainGrouping(select)) return select
  for (const left of block.lefts) {
    const changed = withFilteredMatch(select, block, left, facts)
    if (changed !== undefined) return changed
  }
  return select
}

function withFilteredMatch(
  select: SelectShape,
  block: JoinBlock,
  left: LeftJoin,
  facts: Facts,
): SelectShape | undefined {
  const ids = idsOf(left)
  const others = block.lefts.filter((other) => other !== left)
  const around = [...select.groupBy, ...block.where, ...others.flatMap(({ on }) => on)]
  if (around.some((value) => reads(value, ids)) || others.some(({ right }) => readsWithin(right, ids)))
    return undefined
  const uses = aggregatesOf(select)
  if (uses === undefined) return undefined
  const matched = uses.filter((use) => reads(use, ids))
  const [first, ...more] = matched
  if (
    first === undefined ||
    !uses.every((use) => matched.includes(use) || isDuplicateInsensitiveAggregate(use))
  )
    return undefined
  const shared = conditionsOf(first).filter((condition) =>
    more.every((use) => includesExpression(conditionsOf(use), condition)),
  )
  if (shared.length === 0 || !shared.every((condition) => isStable(condition) && !hasQuery(condition)))
    return undefined
  const test = isColumnOf(ids)
  const on = [...left.on, ...shared.filter((condition) => !includesExpression(left.on, condition))]
  const counted = notNullMatchColumn({ ...left, on }, facts)
  const without = (use: Call): Expression | undefined => withoutConditions(use, shared, test, counted)
  if (!matched.every((use) => without(use) !== undefined)) return undefined
  const changed = mapResultValues(select, (value) =>
    mapAggregates(value, (use) => (reads(use, ids) ? (without(use) ?? use) : use)),
  )
  const lefts = block.lefts.map((other) => (other === left ? { ...left, on } : other))
  return withBlock(changed, { ...block, lefts })
}

/**
 * A left join of a query whose only group has all rows, where every aggregate passes over the rows that found no match: an
 * inner join.
 */
export function leftToInnerUnderAggregates(select: SelectShape): SelectShape {
  const block = blockOf(select)
  if (block.lefts.length === 0 || select.groupBy.length > 0 || !isPlainGrouping(select)) return select
  if (!select.outputs.some(certainlyAggregates)) return select
  const uses = aggregatesOf(select)
  const at = block.lefts.findIndex((left) => {
    const test = isColumnOf(idsOf(left))
    return uses?.every((use) => isNullWithoutMatch(argumentOf(use), test))
  })
  const left = block.lefts[at]
  if (left === undefined) return select
  return withBlock(select, {
    items: [...block.items, ...left.right.items],
    lefts: [...block.lefts.filter((other) => other !== left), ...left.right.lefts],
    where: [...block.where, ...left.on],
  })
}

function isPlainGrouping(select: SelectShape): boolean {
  return (
    select.extras.length === 0 &&
    select.qualify === undefined &&
    !hasGroupingSets(select) &&
    !select.outputs.some((output) => isStar(output) || hasWindow(output)) &&
    !select.orderBy.some(({ by }) => hasWindow(by))
  )
}

function idsOf(left: LeftJoin): ReadonlySet<number> {
  return new Set(poolLeaves(left.right).map((node) => node.id))
}

/** Whether a table of the side is computed from the tables. */
function readsWithin(side: LeftJoin['right'], ids: ReadonlySet<number>): boolean {
  return poolLeaves(side).some((node) => node.kind === 'function' && reads(node.call, ids))
}

/**
 * The aggregates of what is shown, of HAVING and of the order; undefined where anything else may read a group's rows, or
 * an aggregate is not one that passes NULLs over.
 */
function aggregatesOf(select: SelectShape): readonly Call[] | undefined {
  const found: Call[] = []
  const isKnown = (value: Expression): boolean => {
    if (includesExpression(select.groupBy, value)) return true
    if (value.kind !== 'apply') return value.kind === 'literal'
    if (isAggregateCall(value)) {
      found.push(value)
      return plainAggregates.has(value.op) && value.args.length === 1 && isStable(value) && !hasQuery(value)
    }
    return !mayAggregate({ ...value, args: [] }) && value.args.every(isKnown)
  }
  const values = [...select.outputs, ...conjuncts(select.having), ...select.orderBy.map(({ by }) => by)]
  return values.every(isKnown) ? found : undefined
}

function mapAggregates(value: Expression, change: (use: Call) => Expression): Expression {
  if (value.kind !== 'apply') return value
  if (isAggregateCall(value)) return change(value)
  const args = mapAll(value.args, (arg) => mapAggregates(arg, change))
  return args === value.args ? value : { ...value, args }
}

/** Returns the value that an aggregate reads from each row. */
function argumentOf({ args: [only] }: Call): Expression | undefined {
  return only?.kind === 'apply' && only.op === 'distinct' && only.args.length === 1 ? only.args[0] : only
}

interface Chosen {
  readonly conditions: readonly Expression[]
  readonly value: Expression
}

/** `CASE WHEN c THEN x END`. */
function chosenOf(value: Expression | undefined): Chosen | undefined {
  const [when, ...others] = value?.kind === 'apply' && value.op === 'case' ? value.args : []
  const [condition, result, ...rest] = when?.kind === 'apply' && when.op === 'when' ? when.args : []
  if (condition === undefined || result === undefined || others.length > 0 || rest.length > 0)
    return undefined
  return { conditions: conjuncts(condition), value: result }
}

function conditionsOf(use: Call): readonly Expression[] {
  return chosenOf(argumentOf(use))?.conditions ?? []
}

/**
 * The aggregate of rows for which the conditions hold; undefined where it would not pass over a row without a match. Rows
 * are counted by a column that none of them lacks.
 */
function withoutConditions(
  use: Call,
  shared: readonly Expression[],
  test: (column: Column) => boolean,
  counted: Column | undefined,
): Expression | undefined {
  const chosen = chosenOf(argumentOf(use))
  if (chosen === undefined || !isNullWithoutMatch(argumentOf(use), test)) return undefined
  const rest = chosen.conditions.filter((condition) => !includesExpression(shared, condition))
  const condition = conjunction(rest)
  const [only] = use.args
  const isDistinct = only?.kind === 'apply' && only.op === 'distinct'
  const isOfRows = use.op === 'count' && !isDistinct && isNonNullLiteral(chosen.value)
  const result = isOfRows ? (counted ?? chosen.value) : chosen.value
  const value = condition === undefined ? result : apply('case', apply('when', condition, result))
  if (!isNullWithoutMatch(value, test)) return undefined
  return { ...use, args: [isDistinct ? apply('distinct', value) : value] }
}

/** Whether the value is NULL in a row in which all tested columns are. */
function isNullWithoutMatch(value: Expression | undefined, test: (column: Column) => boolean): boolean {
  if (value === undefined) return false
  const chosen = chosenOf(value)
  if (chosen === undefined) return isNullWhere(value, test)
  return (
    chosen.conditions.some((condition) => rejectsNull(condition, test)) ||
    isNullWithoutMatch(chosen.value, test)
  )
}
