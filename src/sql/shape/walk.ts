import type { Expression, FromNode, OrderItem, QueryShape } from './query-shape.js'

/** How to rewrite a query: each expression after its parts, each query after all in it. */
export interface Rewrite {
  expression(expression: Expression): Expression
  query(query: QueryShape): QueryShape
  /** Whether to leave the query and all in it as they are. */
  skips?(query: QueryShape): boolean
}

/** What no rewrite changes stays the same object, so that passes can tell whether anything happened. */
export function rewriteQuery(query: QueryShape, rewrite: Rewrite): QueryShape {
  if (rewrite.skips?.(query) === true) return query
  const each = (expression: Expression): Expression => rewriteExpression(expression, rewrite)
  const maybe = (expression: Expression | undefined): Expression | undefined => expression && each(expression)
  const order = (item: OrderItem): OrderItem =>
    withChanges(item, { by: each(item.by), extras: mapAll(item.extras, each) })
  const tail = {
    orderBy: mapAll(query.orderBy, order),
    limit: maybe(query.limit),
    offset: maybe(query.offset),
    extras: mapAll(query.extras, each),
  }
  if (query.kind === 'set') {
    const operands = mapAll(query.operands, (operand) => rewriteQuery(operand, rewrite))
    return rewrite.query(withChanges(query, { ...tail, operands }))
  }
  return rewrite.query(
    withChanges(query, {
      ...tail,
      outputs: mapAll(query.outputs, each),
      from: query.from && rewriteFrom(query.from, rewrite),
      where: maybe(query.where),
      groupBy: mapAll(query.groupBy, each),
      having: maybe(query.having),
      qualify: maybe(query.qualify),
    }),
  )
}

function rewriteFrom(node: FromNode, rewrite: Rewrite): FromNode {
  const extras = mapAll(node.extras, (extra) => rewriteExpression(extra, rewrite))
  switch (node.kind) {
    case 'table':
      return withChanges(node, { extras })
    case 'derived':
      return withChanges(node, { extras, query: rewriteQuery(node.query, rewrite) })
    case 'function':
      return withChanges(node, { extras, call: rewriteExpression(node.call, rewrite) })
    case 'join':
      return withChanges(node, {
        extras,
        on: node.on && rewriteExpression(node.on, rewrite),
        left: rewriteFrom(node.left, rewrite),
        right: rewriteFrom(node.right, rewrite),
      })
  }
}

export function rewriteExpression(expression: Expression, rewrite: Rewrite): Expression {
  if (expression.kind === 'query') {
    return rewrite.expression(withChanges(expression, { query: rewriteQuery(expression.query, rewrite) }))
  }
  if (expression.kind !== 'apply') return rewrite.expression(expression)
  const args = mapAll(expression.args, (argument) => rewriteExpression(argument, rewrite))
  return rewrite.expression(withChanges(expression, { args }))
}

/** The same list where no element changes. */
export function mapAll<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let changed: T[] | undefined
  items.forEach((item, at) => {
    const next = change(item)
    if (next !== item) changed ??= items.slice(0, at)
    changed?.push(next)
  })
  return changed ?? items
}

/** The same object where it has these values already. */
export function withChanges<T extends object>(value: T, changes: Partial<T>): T {
  const keys = Object.keys(changes) as (keyof T)[]
  return keys.every((key) => value[key] === changes[key]) ? value : { ...value, ...changes }
}

/** Whether the expression or a part of it satisfies the test; subqueries are not looked into. */
export function someExpression(expression: Expression, test: (part: Expression) => boolean): boolean {
  if (test(expression)) return true
  return expression.kind === 'apply' && expression.args.some((argument) => someExpression(argument, test))
}

/** Whether any expression in the query satisfies the test, in subqueries too. */
export function someInQuery(query: QueryShape, test: (part: Expression) => boolean): boolean {
  const some = (expression: Expression | undefined): boolean =>
    expression !== undefined && someDeep(expression, test)
  if (query.orderBy.some((item) => some(item.by) || item.extras.some(some))) return true
  if (some(query.limit) || some(query.offset) || query.extras.some(some)) return true
  if (query.kind === 'set') return query.operands.some((operand) => someInQuery(operand, test))
  return (
    query.outputs.some(some) ||
    some(query.where) ||
    query.groupBy.some(some) ||
    some(query.having) ||
    some(query.qualify) ||
    (query.from !== undefined && someInFrom(query.from, test))
  )
}

function someInFrom(node: FromNode, test: (part: Expression) => boolean): boolean {
  if (node.extras.some((extra) => someDeep(extra, test))) return true
  if (node.kind === 'derived') return someInQuery(node.query, test)
  if (node.kind === 'function') return someDeep(node.call, test)
  if (node.kind === 'table') return false
  return (
    (node.on !== undefined && someDeep(node.on, test)) ||
    someInFrom(node.left, test) ||
    someInFrom(node.right, test)
  )
}

/** As `someExpression`, but looking into subqueries. */
export function someDeep(expression: Expression, test: (part: Expression) => boolean): boolean {
  if (test(expression)) return true
  if (expression.kind === 'query') return someInQuery(expression.query, test)
  return expression.kind === 'apply' && expression.args.some((argument) => someDeep(argument, test))
}
