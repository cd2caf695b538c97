import {
  apply,
  type Expression,
  emptySelect,
  type QueryShape,
  type SelectShape,
} from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { isRowSet } from '../duplicate-insensitivity.js'
import { blockOf, withBlock } from '../join-block.js'
import { assumeNotNull, isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/** IN over a subquery as EXISTS, wherever NULL and false have the same effect; NOT IN where nothing is NULL. */
export function inToExists(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  const convert = (condition: Expression): Expression => convertCondition(condition, block.where, facts)
  const where = mapAll(block.where, convert)
  const lefts = mapAll(block.lefts, (left) => {
    const on = mapAll(left.on, (condition) =>
      convertCondition(condition, [...block.where, ...left.on], facts),
    )
    return on === left.on ? left : { ...left, on }
  })
  const having = select.having && convertCondition(select.having, block.where, facts)
  if (where === block.where && lefts === block.lefts && having === select.having) return select
  return { ...withBlock(select, { items: block.items, lefts, where }), having }
}

function convertCondition(condition: Expression, known: readonly Expression[], facts: Facts): Expression {
  if (condition.kind !== 'apply') return condition
  const [first, second] = condition.args
  if (condition.op === 'and' || condition.op === 'or') {
    const args = mapAll(condition.args, (part) => convertCondition(part, known, facts))
    return args === condition.args ? condition : { ...condition, args }
  }
  if (condition.op === 'in' && first !== undefined && second?.kind === 'query') {
    return membership(first, second.query, facts) ?? condition
  }
  if (condition.op === '=' && first !== undefined && second !== undefined) {
    if (second.kind === 'query' && hasOneRow(second.query))
      return membership(first, second.query, facts) ?? condition
    if (first.kind === 'query' && hasOneRow(first.query))
      return membership(second, first.query, facts) ?? condition
  }
  if (condition.op === 'not' && first?.kind === 'apply' && first.op === 'in') {
    const [value, list] = first.args
    if (value === undefined || list?.kind !== 'query' || !neverNull(value, list.query, known, facts))
      return condition
    const positive = membership(value, list.query, facts)
    return positive === undefined ? condition : apply('not', positive)
  }
  return condition
}

/** `x = (SELECT …)` asks whether x is among at most one row. */
function hasOneRow(query: QueryShape): boolean {
  return (
    query.kind === 'select' &&
    query.limit?.kind === 'literal' &&
    query.limit.value === '1' &&
    query.outputs.length === 1
  )
}

function neverNull(
  value: Expression,
  query: QueryShape,
  known: readonly Expression[],
  facts: Facts,
): boolean {
  if (query.kind !== 'select' || query.extras.length > 0) return false
  const conditions = blockOf(query).where
  const [left, right] = [partsOf(value), query.outputs]
  const isKnown = (part: Expression, given: readonly Expression[]): boolean =>
    isNotNull(part, facts, given) || assumeNotNull(part, facts)
  return left.every((part) => isKnown(part, known)) && right.every((part) => isKnown(part, conditions))
}

function partsOf(value: Expression): readonly Expression[] {
  return value.kind === 'apply' && value.op === 'tuple' ? value.args : [value]
}

/** `x IN (SELECT y …)` as `EXISTS (SELECT … WHERE y = x)`. */
function membership(value: Expression, query: QueryShape, facts: Facts): Expression | undefined {
  const parts = partsOf(value)
  if (query.kind === 'set') {
    if (
      query.operation !== 'union' ||
      query.limit !== undefined ||
      query.offset !== undefined ||
      query.extras.length > 0
    )
      return undefined
    const options = query.operands.map((operand) => membership(value, operand, facts))
    return options.every((option) => option !== undefined)
      ? apply('or', ...options.filter((option) => option !== undefined))
      : undefined
  }
  if (
    query.outputs.length !== parts.length ||
    query.outputs.some((output) => output.kind === 'column' && output.name === '*')
  )
    return undefined
  const equations = (outputs: readonly Expression[]): Expression[] =>
    parts.map((part, at) => apply('=', outputs[at] ?? part, part))
  if (isRowSet(query)) {
    const block = blockOf(query)
    const inner = withBlock(query, { ...block, where: [...block.where, ...equations(query.outputs)] })
    return existsOfQuery({
      ...inner,
      outputs: [],
      names: [],
      distinct: false,
      orderBy: [],
      positional: false,
    })
  }
  const id = facts.nextSourceId()
  const columns = query.outputs.map(
    (_, output): Expression => ({
      kind: 'column',
      source: id,
      name: query.names[output] ?? `${output}`,
      output,
    }),
  )
  const from = {
    kind: 'derived',
    id,
    query: { ...query, positional: false },
    alias: undefined,
    extras: [],
  } as const
  return existsOfQuery(withBlock(emptySelect, { items: [from], lefts: [], where: equations(columns) }))
}

export function existsOfQuery(query: SelectShape): Expression {
  return apply('exists', { kind: 'query', query })
}
