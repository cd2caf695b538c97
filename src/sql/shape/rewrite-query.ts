import type { Expression, FromNode, OrderItem, QueryShape } from './query-shape.js'

/** How to rewrite a query: each expression after its parts, each query after all in it. */
export interface Rewrite {
  expression(expression: Expression): Expression
  query(query: QueryShape): QueryShape
  /** Whether to leave the query and all in it as they are. */
  skips?(query: QueryShape): boolean
}

/** Rewrites a query. Parts that no rewrite changes stay the same objects, so that passes can tell whether anything changed. */
export function rewriteQuery(query: QueryShape, rewrite: Rewrite): QueryShape {
  if (rewrite.skips?.(query) === true) return query
  const orderBy = query.orderBy.length === 0 ? query.orderBy : rewriteOrder(query.orderBy, rewrite)
  const limit = rewriteOptional(query.limit, rewrite)
  const offset = rewriteOptional(query.offset, rewrite)
  const extras = rewriteAll(query.extras, rewrite)
  const isTailSame =
    orderBy === query.orderBy && limit === query.limit && offset === query.offset && extras === query.extras
  if (query.kind === 'set') {
    const operands = mapAll(query.operands, (operand) => rewriteQuery(operand, rewrite))
    if (isTailSame && operands === query.operands) return rewrite.query(query)
    return rewrite.query({ ...query, orderBy, limit, offset, extras, operands })
  }
  const outputs = rewriteAll(query.outputs, rewrite)
  const from = query.from && rewriteFrom(query.from, rewrite)
  const where = rewriteOptional(query.where, rewrite)
  const groupBy = rewriteAll(query.groupBy, rewrite)
  const having = rewriteOptional(query.having, rewrite)
  const qualify = rewriteOptional(query.qualify, rewrite)
  const isSame =
    isTailSame &&
    outputs === query.outputs &&
    from === query.from &&
    where === query.where &&
    groupBy === query.groupBy &&
    having === query.having &&
    qualify === query.qualify
  if (isSame) return rewrite.query(query)
  const body = { outputs, from, where, groupBy, having, qualify }
  return rewrite.query({ ...query, orderBy, limit, offset, extras, ...body })
}

function rewriteOrder(items: readonly OrderItem[], rewrite: Rewrite): readonly OrderItem[] {
  return mapAll(items, (item) => {
    const by = rewriteExpression(item.by, rewrite)
    const extras = rewriteAll(item.extras, rewrite)
    return by === item.by && extras === item.extras ? item : { ...item, by, extras }
  })
}

function rewriteOptional(expression: Expression | undefined, rewrite: Rewrite): Expression | undefined {
  return expression && rewriteExpression(expression, rewrite)
}

function rewriteAll(list: readonly Expression[], rewrite: Rewrite): readonly Expression[] {
  return list.length === 0 ? list : mapAll(list, (expression) => rewriteExpression(expression, rewrite))
}

function rewriteFrom(node: FromNode, rewrite: Rewrite): FromNode {
  const extras = rewriteAll(node.extras, rewrite)
  switch (node.kind) {
    case 'table':
      return extras === node.extras ? node : { ...node, extras }
    case 'derived': {
      const query = rewriteQuery(node.query, rewrite)
      return extras === node.extras && query === node.query ? node : { ...node, extras, query }
    }
    case 'function': {
      const call = rewriteExpression(node.call, rewrite)
      return extras === node.extras && call === node.call ? node : { ...node, extras, call }
    }
    case 'join': {
      const on = rewriteOptional(node.on, rewrite)
      const [left, right] = [rewriteFrom(node.left, rewrite), rewriteFrom(node.right, rewrite)]
      const isSame = extras === node.extras && on === node.on && left === node.left && right === node.right
      return isSame ? node : { ...node, extras, on, left, right }
    }
  }
}

export function rewriteExpression(expression: Expression, rewrite: Rewrite): Expression {
  if (expression.kind === 'query') {
    const query = rewriteQuery(expression.query, rewrite)
    return rewrite.expression(query === expression.query ? expression : { ...expression, query })
  }
  if (expression.kind !== 'apply') return rewrite.expression(expression)
  const args = rewriteAll(expression.args, rewrite)
  return rewrite.expression(args === expression.args ? expression : { ...expression, args })
}

/** The same list where no element changes. */
export function mapAll<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let changed: T[] | undefined
  let at = 0
  for (const item of items) {
    const next = change(item)
    if (next !== item) changed ??= items.slice(0, at)
    changed?.push(next)
    at++
  }
  return changed ?? items
}

/** The same object where it has these values already. */
export function withChanges<T extends object>(value: T, changes: Partial<T>): T {
  const keys = Object.keys(changes) as (keyof T)[]
  return keys.every((key) => value[key] === changes[key]) ? value : { ...value, ...changes }
}

/** Whether a subquery stands in it. */
export function hasQuery(value: Expression): boolean {
  return someExpression(value, (part) => part.kind === 'query')
}

/** Whether the expression or a part of it satisfies the test; subqueries are not looked into. */
export function someExpression(expression: Expression, test: (part: Expression) => boolean): boolean {
  if (test(expression)) return true
  return expression.kind === 'apply' && expression.args.some((argument) => someExpression(argument, test))
}

/** Visits what each SELECT of the query reads from, subqueries before what is around them. */
export function eachFrom(query: QueryShape, visit: (from: FromNode) => void): void {
  for (const { by, extras } of query.orderBy) {
    fromsIn(by, visit)
    for (const extra of extras) fromsIn(extra, visit)
  }
  fromsIn(query.limit, visit)
  fromsIn(query.offset, visit)
  for (const extra of query.extras) fromsIn(extra, visit)
  if (query.kind === 'set') {
    for (const operand of query.operands) eachFrom(operand, visit)
    return
  }
  for (const output of query.outputs) fromsIn(output, visit)
  if (query.from !== undefined) fromsInside(query.from, visit)
  fromsIn(query.where, visit)
  for (const key of query.groupBy) fromsIn(key, visit)
  fromsIn(query.having, visit)
  fromsIn(query.qualify, visit)
  if (query.from !== undefined) visit(query.from)
}

function fromsIn(expression: Expression | undefined, visit: (from: FromNode) => void): void {
  if (expression?.kind === 'query') eachFrom(expression.query, visit)
  if (expression?.kind === 'apply') for (const arg of expression.args) fromsIn(arg, visit)
}

function fromsInside(node: FromNode, visit: (from: FromNode) => void): void {
  for (const extra of node.extras) fromsIn(extra, visit)
  if (node.kind === 'derived') eachFrom(node.query, visit)
  if (node.kind === 'function') fromsIn(node.call, visit)
  if (node.kind !== 'join') return
  fromsIn(node.on, visit)
  fromsInside(node.left, visit)
  fromsInside(node.right, visit)
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
