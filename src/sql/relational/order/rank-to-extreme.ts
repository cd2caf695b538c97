import {
  apply,
  conjunction,
  conjuncts,
  type Expression,
  emptySelect,
  type FromNode,
  isStar,
  type SelectShape,
} from '../../shape/query-shape.js'
import { renumberSources } from '../../shape/source-ids.js'
import { includesExpression, isSameExpression } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { isKey } from '../functional-dependencies.js'
import { blockOf, isPlainSelect, type JoinBlock, withBlock } from '../join-block.js'
import { isStable, mayAggregate } from '../known-functions.js'
import { describeValue, isNotNull } from '../nullability.js'
import { hasTotalOrder } from '../subqueries/simplify-scalar-subqueries.js'
import type { Facts } from '../table-facts.js'

/** Larger queries are not written twice, lest those inside one another grow exponentially. */
const maxLength = 30_000

const one: Expression = { kind: 'literal', type: 'number', value: '1' }

/**
 * `rank() OVER (PARTITION BY g ORDER BY x DESC) = 1` as `x = (SELECT max(x) …)` of the rows with the same g; for
 * row_number() where no two rows share the first place, which a key tells or is assumed.
 */
export function rankToExtreme(select: SelectShape, facts: Facts): SelectShape {
  return qualifiedFirst(select, facts) ?? derivedFirst(select, facts) ?? select
}

function qualifiedFirst(select: SelectShape, facts: Facts): SelectShape | undefined {
  const [condition, ...others] = conjuncts(select.qualify)
  if (condition === undefined || others.length > 0 || select.outputs.some(hasWindow)) return undefined
  const isRow = isPlainSelect({ ...select, qualify: undefined, limit: undefined, offset: undefined })
  const window = operandOfFirst(condition)
  if (!isRow || window === undefined || select.orderBy.some(({ by }) => hasWindow(by))) return undefined
  const test = firstOf(window, select, facts)
  return test && { ...select, qualify: undefined, where: conjunction([...conjuncts(select.where), test]) }
}

function derivedFirst(select: SelectShape, facts: Facts): SelectShape | undefined {
  if (facts.derived.size === 0) return undefined
  const block = blockOf(select)
  for (const item of block.items) {
    if (item.kind !== 'derived' || item.extras.length > 0 || item.query.kind !== 'select') continue
    if (item.query.outputs.filter(hasWindow).length !== 1) continue
    const { id } = item
    const query = rankedGroups(item.query, facts)
    if (!isPlainSelect(query)) continue
    const at = query.outputs.findIndex(hasWindow)
    const isOfWindow = (condition: Expression): boolean => {
      const rank = operandOfFirst(condition)
      return rank?.kind === 'column' && rank.source === id && rank.output === at
    }
    const condition = block.where.find(isOfWindow)
    const window = query.outputs[at]
    const test = condition && window && firstOf(window, query, facts)
    if (test === undefined) continue
    const inner: SelectShape = {
      ...query,
      outputs: query.outputs.map((output, place) => (place === at ? one : output)),
      where: conjunction([...conjuncts(query.where), test]),
    }
    return withBlock(select, {
      ...block,
      items: block.items.map((other) => (other === item ? { ...item, query: inner } : other)),
      where: block.where.filter((other) => other !== condition),
    })
  }
  return undefined
}

/** Groups that are ranked, as rows of a derived table that are; the query itself where it has none. */
function rankedGroups(query: SelectShape, facts: Facts): SelectShape {
  const { outputs, names, groupBy, having, distinct } = query
  if (groupBy.length === 0 || !isPlainSelect({ ...query, groupBy: [], having: undefined })) return query
  if (distinct || outputs.some((output) => isStar(output) || !isStable(output))) return query
  const id = facts.nextSourceId()
  const inner: Expression[] = []
  const asColumn = (value: Expression): Expression => {
    const known = inner.findIndex((other) => isSameExpression(other, value))
    const output = known < 0 ? inner.push(value) - 1 : known
    const name = names[outputs.findIndex((shown) => isSameExpression(shown, value))]
    return { kind: 'column', source: id, name: name ?? `column ${output + 1}`, output }
  }
  const lifted = (value: Expression): Expression => {
    const isCall =
      value.kind === 'apply' && (value.op === 'over' || /^(?:field:.*|asc|desc)$/u.test(value.op))
    if (isCall)
      return { ...value, args: value.args.map((arg, at) => (isRank(value, at) ? arg : lifted(arg))) }
    return value.kind === 'literal' ? value : asColumn(value)
  }
  const shown = outputs.map(lifted)
  const groups: SelectShape = {
    ...emptySelect,
    from: query.from,
    where: query.where,
    groupBy,
    having,
    outputs: inner,
    names: inner.map(() => undefined),
  }
  const from: FromNode = { kind: 'derived', id, query: groups, alias: undefined, extras: [] }
  facts.addSources(from)
  return { ...emptySelect, from, outputs: shown, names, positional: query.positional }
}

function isRank(window: Expression & { kind: 'apply' }, at: number): boolean {
  return window.op === 'over' && at === 0
}

/** Returns the operand that a condition compares with 1, for a value that is never less than 1. */
function operandOfFirst(condition: Expression): Expression | undefined {
  if (condition.kind !== 'apply' || condition.args.length !== 2) return undefined
  const [left, right] = condition.args
  const [value, limit] = left?.kind === 'literal' && condition.op === '=' ? [right, left] : [left, right]
  const bound = limit?.kind === 'literal' && limit.type === 'number' ? limit.value : undefined
  const isFirst =
    ((condition.op === '=' || condition.op === '<=') && bound === '1') ||
    (condition.op === '<' && bound === '2')
  return isFirst ? value : undefined
}

const ranks: ReadonlySet<string> = new Set(['rank', 'dense_rank', 'row_number'])

interface Ranking {
  readonly call: string
  readonly partition: readonly Expression[]
  readonly by: Expression
  readonly descending: boolean
}

function rankingOf(window: Expression): Ranking | undefined {
  if (window.kind !== 'apply' || window.op !== 'over') return undefined
  const [call, ...parts] = window.args
  if (call?.kind !== 'apply' || !ranks.has(call.op) || call.args.length > 0) return undefined
  const isPlain = parts.every(
    (part) => part.kind === 'apply' && (part.op === 'field:partition_by' || part.op === 'field:order_by'),
  )
  const [order] = parts.filter((part) => part.kind === 'apply' && part.op === 'field:order_by')
  const [term, ...further] = order?.kind === 'apply' ? order.args : []
  const keys = parts.flatMap((part) =>
    part.kind === 'apply' && part.op === 'field:partition_by' ? part.args : [],
  )
  if (!isPlain || term?.kind !== 'apply' || further.length > 0) return undefined
  const [by, nulls, ...extras] = term.args
  const isKnown = (term.op === 'asc' || term.op === 'desc') && extras.length === 0
  const isPlace = nulls === undefined || (nulls.kind === 'literal' && nulls.type === 'word')
  if (by === undefined || !isKnown || !isPlace) return undefined
  return { call: call.op, partition: keys, by, descending: term.op === 'desc' }
}

/** That a row is the first of its rank: it has the greatest value of the rows with its keys. */
function firstOf(window: Expression, query: SelectShape, facts: Facts): Expression | undefined {
  const ranking = rankingOf(window)
  if (ranking === undefined || query.from === undefined) return undefined
  const { partition, by, descending } = ranking
  const values = [by, ...partition]
  const isRow = (value: Expression): boolean =>
    isStable(value) && !hasWindow(value) && !mayAggregate(value) && value.kind !== 'literal'
  const outputs = query.outputs.filter((output) => !hasWindow(output))
  if (!values.every(isRow) || outputs.some(mayAggregate)) return undefined
  const block = blockOf(query)
  if (JSON.stringify(query).length > maxLength) return undefined
  if (!values.every((value) => hasTotalOrder(value, facts) && isNotNullOrAssumed(value, block, facts)))
    return undefined
  if (ranking.call === 'row_number' && !isUnique(ranking, block, facts)) return undefined
  const copy = renumberSources(
    {
      ...emptySelect,
      from: query.from,
      where: query.where,
      outputs: [apply(descending ? 'max' : 'min', by), ...partition],
      names: [undefined, ...partition.map(() => undefined)],
    },
    () => facts.nextSourceId(),
  )
  if (copy.kind !== 'select') return undefined
  const [best, ...keys] = copy.outputs
  if (best === undefined) return undefined
  const alike = partition.map((key, at) => apply('=', keys[at] ?? key, key))
  const scalar: SelectShape = {
    ...copy,
    outputs: [best],
    names: [undefined],
    where: conjunction([...conjuncts(copy.where), ...alike]),
  }
  return apply('=', by, { kind: 'query', query: scalar })
}

/** NULLs have a rank and share one, but are equal to none. */
function isNotNullOrAssumed(value: Expression, block: JoinBlock, facts: Facts): boolean {
  return (
    isNotNull(value, facts, block.where) ||
    facts.assumptions.assume(
      'nulls',
      `${describeValue(value, facts)}, by which rows are ranked, is never NULL`,
    )
  )
}

function isUnique({ partition, by, descending }: Ranking, block: JoinBlock, facts: Facts): boolean {
  if (isKey([...partition, by], block, facts)) return true
  const place = `${descending ? 'largest' : 'smallest'} ${describeValue(by, facts)}`
  const keys = partition.filter((key) => !isSameExpression(key, by)).map((key) => describeValue(key, facts))
  const rows = keys.length === 0 ? 'no two rows' : `no two rows of one ${keys.join(' and ')}`
  return !includesExpression(partition, by) && facts.assumptions.assume('ties', `${rows} share the ${place}`)
}
