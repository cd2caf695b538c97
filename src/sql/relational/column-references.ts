import type { Expression, QueryShape, SourceId } from '../shape/query-shape.js'
import { rewriteExpression, rewriteQuery, someDeep, someInQuery } from '../shape/rewrite-query.js'

export type Column = Expression & { kind: 'column' }

/** Whether the expression reads a column of one of the sources, in subqueries too. */
export function reads(expression: Expression, sources: ReadonlySet<SourceId>): boolean {
  return someDeep(expression, (part) => isOf(part, sources))
}

/** Whether it reads columns, but certainly none of the sources. */
export function readsOnlyOuterColumns(expression: Expression, sources: ReadonlySet<SourceId>): boolean {
  let others = false
  const isOwn = someDeep(expression, (part) => {
    if (part.kind !== 'column') return false
    if (part.source === undefined || sources.has(part.source)) return true
    others = true
    return false
  })
  return others && !isOwn
}

export function queryReads(query: QueryShape, sources: ReadonlySet<SourceId>): boolean {
  return someInQuery(query, (part) => isOf(part, sources))
}

function isOf(part: Expression, sources: ReadonlySet<SourceId>): boolean {
  return part.kind === 'column' && part.source !== undefined && sources.has(part.source)
}

/** Puts expressions in the place of columns; what the map does not answer stays. */
export function replaceColumns<T extends QueryShape>(
  query: T,
  replace: (column: Column) => Expression | undefined,
): QueryShape {
  return rewriteQuery(query, { query: (nested) => nested, expression: replacing(replace) })
}

export function replaceColumnsIn(
  expression: Expression,
  replace: (column: Column) => Expression | undefined,
): Expression {
  return rewriteExpression(expression, { query: (nested) => nested, expression: replacing(replace) })
}

function replacing(replace: (column: Column) => Expression | undefined): (part: Expression) => Expression {
  return (part) => (part.kind === 'column' ? (replace(part) ?? part) : part)
}

/** Whether two expressions are the same, written with the same tables. */
export function isSameExpression(a: Expression, b: Expression): boolean {
  if (a === b) return true
  if (a.kind === 'column') {
    return (
      b.kind === 'column' &&
      a.source === b.source &&
      a.output === b.output &&
      (a.output !== undefined || a.name === b.name) &&
      a.maybeText === b.maybeText
    )
  }
  if (a.kind === 'literal') return b.kind === 'literal' && a.type === b.type && a.value === b.value
  if (a.kind === 'query') return b.kind === 'query' && JSON.stringify(a.query) === JSON.stringify(b.query)
  return (
    b.kind === 'apply' &&
    a.op === b.op &&
    a.args.length === b.args.length &&
    a.args.every((arg, at) => isSameExpression(arg, b.args[at] ?? arg))
  )
}

/** Expressions that have been seen, found again by `same` among thousands. */
export interface ExpressionSet {
  has(wanted: Expression): boolean
  add(seen: Expression): void
}

export function createExpressionSet(): ExpressionSet {
  const buckets = new Map<string, Expression[]>()
  return {
    has: (wanted) => includesExpression(buckets.get(outline(wanted)) ?? [], wanted),
    add(seen) {
      const key = outline(seen)
      const bucket = buckets.get(key)
      if (bucket === undefined) buckets.set(key, [seen])
      else bucket.push(seen)
    },
  }
}

/** Returns a text that equal expressions share, made of their two upper levels. */
function outline(expression: Expression, depth = 2): string {
  switch (expression.kind) {
    case 'column':
      return String(expression.output ?? expression.name)
    case 'literal':
      return expression.value
    case 'query':
      return 'query'
    case 'apply': {
      const args = depth === 0 ? [] : expression.args.map((arg) => outline(arg, depth - 1))
      return `${expression.op}(${args.join(' ')})`
    }
  }
}

export function includesExpression(list: readonly Expression[], wanted: Expression): boolean {
  return list.some((item) => isSameExpression(item, wanted))
}
