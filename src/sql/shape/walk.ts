import type { Expression, FromNode, OrderItem, QueryShape } from './query-shape.js'

/** How to rewrite a query: each expression after its parts, each query after all in it. */
export interface Rewrite {
  expression(expression: Expression): Expression
  query(query: QueryShape): QueryShape
}

export function rewriteQuery(query: QueryShape, rewrite: Rewrite): QueryShape {
  const each = (expression: Expression): Expression => rewriteExpression(expression, rewrite)
  const maybe = (expression: Expression | undefined): Expression | undefined => expression && each(expression)
  const order = (item: OrderItem): OrderItem => ({
    ...item,
    by: each(item.by),
    extras: item.extras.map(each),
  })
  const tail = {
    orderBy: query.orderBy.map(order),
    limit: maybe(query.limit),
    offset: maybe(query.offset),
    extras: query.extras.map(each),
  }
  if (query.kind === 'set') {
    const operands = query.operands.map((operand) => rewriteQuery(operand, rewrite))
    return rewrite.query({ ...query, ...tail, operands })
  }
  return rewrite.query({
    ...query,
    ...tail,
    outputs: query.outputs.map(each),
    from: query.from && rewriteFrom(query.from, rewrite),
    where: maybe(query.where),
    groupBy: query.groupBy.map(each),
    having: maybe(query.having),
    qualify: maybe(query.qualify),
  })
}

function rewriteFrom(node: FromNode, rewrite: Rewrite): FromNode {
  const extras = node.extras.map((extra) => rewriteExpression(extra, rewrite))
  switch (node.kind) {
    case 'table':
      return { ...node, extras }
    case 'derived':
      return { ...node, extras, query: rewriteQuery(node.query, rewrite) }
    case 'function':
      return { ...node, extras, call: rewriteExpression(node.call, rewrite) }
    case 'join': {
      const on = node.on && rewriteExpression(node.on, rewrite)
      return {
        ...node,
        extras,
        on,
        left: rewriteFrom(node.left, rewrite),
        right: rewriteFrom(node.right, rewrite),
      }
    }
  }
}

function rewriteExpression(expression: Expression, rewrite: Rewrite): Expression {
  if (expression.kind === 'query') return { kind: 'query', query: rewriteQuery(expression.query, rewrite) }
  if (expression.kind !== 'apply') return rewrite.expression(expression)
  const args = expression.args.map((argument) => rewriteExpression(argument, rewrite))
  return rewrite.expression({ ...expression, args })
}

/** Whether the expression or a part of it satisfies the test; subqueries are not looked into. */
export function someExpression(expression: Expression, test: (part: Expression) => boolean): boolean {
  if (test(expression)) return true
  return expression.kind === 'apply' && expression.args.some((argument) => someExpression(argument, test))
}
