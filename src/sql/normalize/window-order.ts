import type { Dialect } from '../../dialect.js'
import { defaultFor, withoutNullFlags } from '../relational/order-nulls.js'
import { type Expression, type OrderItem, word } from '../shape/query-shape.js'

/** Says for each ordering key of a window where its NULLs go. */
export function unifyWindowOrder(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply' || expression.op !== 'field:order_by') return expression
  const items = expression.args.map(itemOf)
  if (!items.every((item) => item !== undefined)) return expression
  const plain = withoutNullFlags(items.filter((item) => item !== undefined))
  return { ...expression, args: plain.map((item) => termOf(item, dialect)) }
}

function itemOf(term: Expression): OrderItem | undefined {
  if (term.kind !== 'apply' || (term.op !== 'asc' && term.op !== 'desc')) return undefined
  const [by, nulls, ...rest] = term.args
  const isWritten = nulls?.kind === 'literal' && nulls.type === 'word'
  if (by === undefined || (nulls !== undefined && !isWritten) || rest.length > 0) return undefined
  const nullsFirst = isWritten ? nulls.value === 'nulls first' : undefined
  return { by, descending: term.op === 'desc', nullsFirst, extras: [] }
}

function termOf(item: OrderItem, dialect: Dialect): Expression {
  const nullsFirst = item.nullsFirst ?? defaultFor(item, dialect)
  const nulls = nullsFirst === undefined ? [] : [word(nullsFirst ? 'nulls first' : 'nulls last')]
  return { kind: 'apply', op: item.descending ? 'desc' : 'asc', args: [item.by, ...nulls] }
}
