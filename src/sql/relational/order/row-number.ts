import { boundOf } from '../../conditions/literal-bounds.js'
import { numberLiteral } from '../../functions/function-table.js'
import type { Expression, FromNode, OrderItem, QueryShape, SelectShape } from '../../shape/query-shape.js'
import { isStar } from '../../shape/query-shape.js'
import { someInQuery } from '../../shape/rewrite-query.js'
import { asSelect } from '../as-select.js'
import { isSameExpression, replaceColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { isPlainSelect } from '../join-block.js'
import { isStable, mayAggregate } from '../known-functions.js'

type Derived = FromNode & { readonly kind: 'derived' }

/**
 * The n-th of all rows, `WHERE r = 2` of `row_number() OVER (ORDER BY x) AS r`, as `ORDER BY x LIMIT 1 OFFSET 1`: one row,
 * which is in no order. The first n rows, where the query orders them by r.
 */
export function rowNumberToLimit(select: SelectShape): SelectShape {
  const { from, where, outputs } = select
  if (from?.kind !== 'derived' || from.extras.length > 0 || where === undefined) return select
  if (!isPlainSelect(select) || select.distinct || select.orderBy.length > 1) return select
  const { query } = from
  if (query.kind !== 'select' || !isOpen(query)) return select
  const place = placeIn(where, from, query, orderingOf(select))
  if (place === undefined) return select
  const others = outputs.some((output) => mayAggregate(output) || hasWindow(output) || isStar(output))
  const readsPlace = (part: Expression): boolean =>
    part.kind === 'query' ||
    (part.kind === 'column' &&
      part.source === from.id &&
      (part.output === undefined || part.output === place.output))
  if (others || someInQuery({ ...select, from: undefined, where: undefined, orderBy: [] }, readsPlace))
    return select
  const first: QueryShape = {
    ...select,
    from: query.from,
    where: query.where,
    groupBy: query.groupBy,
    having: query.having,
    orderBy: place.order,
    limit: numberLiteral(String(place.rows)),
    offset: place.row === 1 ? undefined : numberLiteral(String(place.row - 1)),
  }
  const shown = { ...first, orderBy: [] }
  const replaced = asSelect(
    replaceColumns(shown, (column) =>
      column.source === from.id && column.output !== undefined ? query.outputs[column.output] : undefined,
    ),
    select,
  )
  return { ...replaced, orderBy: place.order }
}

/** Whether it has all of its rows, and each of its outputs is the same wherever it is computed. */
function isOpen(query: SelectShape): boolean {
  const { limit, offset, qualify, orderBy, distinct, extras } = query
  const isWhole = limit === undefined && offset === undefined && qualify === undefined && !distinct
  return (
    isWhole &&
    orderBy.length === 0 &&
    extras.length === 0 &&
    query.outputs.every((output) => isStable(output) && !isStar(output))
  )
}

interface Place {
  readonly output: number
  readonly row: number
  readonly rows: number
  readonly order: readonly OrderItem[]
}

/** The column by which alone the rows are ordered, the least first. */
function orderingOf({ orderBy: [item] }: SelectShape): Expression | undefined {
  const isPlain = item !== undefined && !item.descending && item.extras.length === 0
  return isPlain ? item.by : undefined
}

function placeIn(
  where: Expression,
  { id }: Derived,
  query: SelectShape,
  ordering: Expression | undefined,
): Place | undefined {
  const bound = boundOf(where)
  const [subject, row] = [bound?.subject, Number(bound?.value.value)]
  if (bound === undefined || bound.value.type !== 'number' || !Number.isInteger(row) || row < 1)
    return undefined
  if (subject?.kind !== 'column' || subject.source !== id || subject.output === undefined) return undefined
  const isOrdered = ordering !== undefined && isSameExpression(ordering, subject)
  const rows = bound.op === '=' ? 1 : bound.op === '<=' && (isOrdered || row === 1) ? row : 0
  const order = orderOf(query.outputs[subject.output])
  const isOnly = query.outputs.every((output, at) => at === subject.output || !hasWindow(output))
  if (order === undefined || !isOnly || rows === 0) return undefined
  return { output: subject.output, row: bound.op === '=' ? row : 1, rows, order }
}

/** The order of `row_number() OVER (ORDER BY …)`. */
function orderOf(window: Expression | undefined): readonly OrderItem[] | undefined {
  const [call, order, ...others] = window?.kind === 'apply' && window.op === 'over' ? window.args : []
  const isNumber = call?.kind === 'apply' && call.op === 'row_number' && call.args.length === 0
  if (!isNumber || order?.kind !== 'apply' || order.op !== 'field:order_by' || others.length > 0)
    return undefined
  const items = order.args.map(itemOf)
  return items.every((item) => item !== undefined) ? items : undefined
}

function itemOf(term: Expression): OrderItem | undefined {
  if (term.kind !== 'apply' || (term.op !== 'asc' && term.op !== 'desc')) return undefined
  const [by, nulls, ...extras] = term.args
  const written = nulls?.kind === 'literal' ? nulls.value : undefined
  const isPlace = nulls === undefined || written === 'nulls first' || written === 'nulls last'
  if (by === undefined || !isPlace || extras.length > 0) return undefined
  const nullsFirst = written === undefined ? undefined : written === 'nulls first'
  return { by, descending: term.op === 'desc', nullsFirst, extras: [] }
}
