import { numberLiteral } from '../../functions/function-table.js'
import type { LeafNode } from '../../normalize/join-pool.js'
import { apply, conjunction, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { hasQuery, mapAll, someExpression } from '../../shape/rewrite-query.js'
import { includesExpression, replaceColumnsIn } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, isPlainSelect } from '../join-block.js'
import { certainlyAggregates, isAggregateCall, plainAggregates } from '../known-functions.js'

type Call = Expression & { readonly kind: 'apply' }
type Table = LeafNode & { readonly kind: 'table' }

/** Aggregates over the rows of one table that satisfy some conditions. */
interface Part {
  readonly table: Table
  readonly output: Expression
  readonly where: readonly Expression[]
}

/**
 * Scalar subqueries that aggregate one table as one query of it: `SELECT (SELECT count(*) FROM t WHERE c), (SELECT max(a)
 * FROM t)` is `SELECT count(CASE WHEN c THEN 1 END), max(a) FROM t`. Each of them has one row, and so has the whole: with a
 * FROM of its own only if it aggregates that.
 */
export function mergeScalarSubqueries(select: SelectShape): SelectShape {
  const { outputs, orderBy } = select
  if (!outputs.some(hasQuery) || !isPlainSelect(select) || select.distinct || orderBy.length > 0)
    return select
  if (select.from !== undefined && !outputs.some(certainlyAggregates)) return select
  const own = select.from === undefined ? undefined : ownPart(select)
  if (select.from === undefined ? select.where !== undefined : own === undefined) return select
  const parts = new Map<Expression, Part>()
  const isMerged = outputs.every((output) => collect(output, parts, own))
  const [first] = own === undefined ? parts.values() : [own]
  const all = [...(own === undefined ? [] : [own]), ...parts.values()]
  if (!isMerged || first === undefined || parts.size === 0) return select
  if (all.some(({ table }) => table.name !== first.table.name)) return select
  const { table } = first
  const here = ({ table: { id } }: Part, value: Expression): Expression =>
    replaceColumnsIn(value, (column) => (column.source === id ? { ...column, source: table.id } : undefined))
  const tests = all.map((part) => part.where.map((condition) => here(part, condition)))
  const common = (tests[0] ?? []).filter((condition) =>
    tests.every((test) => includesExpression(test, condition)),
  )
  const restOf = (part: Part): readonly Expression[] =>
    (tests[all.indexOf(part)] ?? []).filter((condition) => !includesExpression(common, condition))
  const change = (value: Expression): Expression => {
    const part = parts.get(value)
    if (part !== undefined) return chosen(here(part, part.output), restOf(part))
    if (value.kind !== 'apply') return value
    if (own !== undefined && isAggregateCall(value)) return chosen(value, restOf(own))
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  return { ...select, from: table, where: conjunction(common), outputs: outputs.map(change) }
}

/** Notes the scalar subqueries; false where anything is neither of them, nor a literal, nor an aggregate of the query. */
function collect(value: Expression, parts: Map<Expression, Part>, own: Part | undefined): boolean {
  if (value.kind === 'literal') return true
  if (value.kind === 'column') return false
  if (value.kind === 'query') {
    const part = value.query.kind === 'select' ? partOf(value.query) : undefined
    if (part !== undefined) parts.set(value, part)
    return part !== undefined
  }
  if (value.op === 'over') return false
  if (isAggregateCall(value)) return own !== undefined && isChoosable(value)
  return value.args.every((arg) => collect(arg, parts, own))
}

function ownPart(select: SelectShape): Part | undefined {
  const table = onlyTable(select)
  const block = blockOf(select)
  const [output] = select.outputs
  if (table === undefined || output === undefined || block.where.some((test) => !isOwn(test, table)))
    return undefined
  return { table, output, where: block.where }
}

function partOf(query: SelectShape): Part | undefined {
  const [output, ...others] = query.outputs
  const table = onlyTable(query)
  if (output === undefined || others.length > 0 || table === undefined) return undefined
  if (!isPlainSelect(query) || query.distinct || query.orderBy.length > 0) return undefined
  const { where } = blockOf(query)
  if (![output, ...where].every((value) => isOwn(value, table)) || hasWindow(output)) return undefined
  return isOfAggregates(output) ? { table, output, where } : undefined
}

function onlyTable(select: SelectShape): Table | undefined {
  const { items, lefts } = blockOf(select)
  const [item] = items
  const isOne = items.length === 1 && lefts.length === 0
  return isOne && item?.kind === 'table' && item.extras.length === 0 ? item : undefined
}

/** Whether it reads nothing but columns of the table. */
function isOwn(value: Expression, table: Table): boolean {
  if (value.kind === 'query') return false
  if (value.kind === 'column') return value.source === table.id && value.name !== '*'
  return value.kind === 'literal' || value.args.every((arg) => isOwn(arg, table))
}

/** Whether it has an aggregate, and all that it takes from the rows are aggregates that may be of some of them. */
function isOfAggregates(value: Expression): boolean {
  return someExpression(value, isAggregateCall) && areChoosable(value)
}

function areChoosable(value: Expression): boolean {
  if (value.kind !== 'apply') return value.kind === 'literal'
  return isAggregateCall(value) ? isChoosable(value) : value.args.every(areChoosable)
}

function isChoosable({ op, args }: Call): boolean {
  const [arg] = args
  const isMany = arg?.kind === 'apply' && arg.op === 'distinct' && arg.args.length !== 1
  return (
    plainAggregates.has(op) &&
    args.length === 1 &&
    !isMany &&
    !(arg !== undefined && someExpression(arg, isAggregateCall))
  )
}

/** The aggregates of the rows that satisfy the conditions. */
function chosen(value: Expression, conditions: readonly Expression[]): Expression {
  const condition = conjunction(conditions)
  if (condition === undefined || value.kind !== 'apply') return value
  const [arg] = value.args
  if (!isAggregateCall(value) || arg === undefined) {
    const args = mapAll(value.args, (part) => chosen(part, conditions))
    return args === value.args ? value : { ...value, args }
  }
  const [inner] = arg.kind === 'apply' && arg.op === 'distinct' ? arg.args : []
  return inner === undefined
    ? apply(value.op, ofRows(arg, conditions))
    : apply(value.op, apply('distinct', ofRows(inner, conditions)))
}

function ofRows(value: Expression, conditions: readonly Expression[]): Expression {
  const [when, ...others] = value.kind === 'apply' && value.op === 'case' ? value.args : []
  const [test, result] = when?.kind === 'apply' && when.op === 'when' && others.length === 0 ? when.args : []
  const isAll = value.kind === 'literal' && value.type === 'word'
  const tests = test === undefined ? conditions : [...conditions, test]
  const shown = result ?? (isAll ? numberLiteral('1') : value)
  return apply('case', apply('when', conjunction(tests) ?? shown, shown))
}
