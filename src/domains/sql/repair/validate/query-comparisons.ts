import {
  type Expression,
  type QueryShape,
  rewriteQuery,
  someDeep,
  someExpression,
  someInQuery,
} from '../../../../sql/index.js'

type Apply = Extract<Expression, { readonly kind: 'apply' }>

/** Expressions that are compared with each other, or combined by a function. */
export interface Comparison {
  readonly parts: readonly Expression[]
  /**
   * Whether it is a comparison whatever its parts are; a function of a value and of constants is no more than
   * the value.
   */
  readonly isTest: boolean
}

const comparisonOperators =
  /^(?:==?|<>|!=|[<>]=?|<=>|~.*|!~.*|is|is_not|is_distinct_from|is_not_distinct_from|in|in_list|between|(?:not_)?i?like.*|glob|match|regexp.*|rlike|similar.*|nullif|any|all)$/
/** Operators that neither compare nor choose: logic, branches, lists, and sums of numbers and texts. */
const nonComparisonOperators =
  /^(?:and|or|not|xor|case|when|else|over|record|cast|try_cast|interval|tuple|list|array_func|asc|desc|collation|[-+*/%]|\|\||within_group|field:.*)$/

/** Returns every comparison or combination of expressions in a query, subqueries included. */
export function comparisonsIn(query: QueryShape): Comparison[] {
  const found: Comparison[] = []
  someInQuery(query, (part) => {
    if (part.kind === 'apply') found.push(...comparisonsOf(part))
    return false
  })
  return found
}

function comparisonsOf({ op, args }: Apply): Comparison[] {
  const [first, ...others] = args
  if (first === undefined) return []
  // Bounds and members are compared with the value before them, and not with each other.
  if (op === 'between' || op === 'in_list')
    return others.map((other) => ({ parts: [first, other], isTest: true }))
  if (op === 'case' && first.kind === 'apply' && first.op === 'of') {
    const when = others.flatMap((each) =>
      each.kind === 'apply' && each.op === 'when' ? each.args.slice(0, 1) : [],
    )
    return when.map((each) => ({ parts: [...first.args, each], isTest: true }))
  }
  if (nonComparisonOperators.test(op)) return []
  const parts = args.filter((each) => !(each.kind === 'apply' && each.op.startsWith('field:')))
  return parts.length > 1 || comparisonOperators.test(op)
    ? [{ parts, isTest: comparisonOperators.test(op) }]
    : []
}

/**
 * Returns the parts that determine an expression's value: not what a condition in it compares, nor what a
 * subquery filters by, but what that returns.
 */
export function valuesIn(expression: Expression): Expression[] {
  if (expression.kind === 'query') {
    const { query } = expression
    return query.kind === 'select' ? [expression, ...query.outputs.flatMap(valuesIn)] : [expression]
  }
  if (expression.kind !== 'apply') return [expression]
  const { op, args } = expression
  if (comparisonOperators.test(op) || /^(?:and|or|not|field:.*)$/.test(op)) return []
  return [expression, ...(op === 'when' ? args.slice(1) : args).flatMap(valuesIn)]
}

/** Returns the query and all queries in it, inner ones first. */
export function queriesIn(query: QueryShape): QueryShape[] {
  const found: QueryShape[] = []
  rewriteQuery(query, {
    expression: (expression) => expression,
    query(each) {
      found.push(each)
      return each
    },
  })
  return found
}

/** Returns the names of the columns in the parts, in lower case, without subqueries. */
export function columnsIn(parts: readonly Expression[]): Set<string> {
  const found = new Set<string>()
  for (const part of parts)
    someExpression(part, (each) => {
      if (each.kind === 'column') found.add(each.name.toLowerCase())
      return false
    })
  return found
}

export function hasSubquery(parts: readonly Expression[]): boolean {
  return parts.some((part) => someDeep(part, ({ kind }) => kind === 'query'))
}

/** Returns a key of the parts in any order and under any table alias: equal keys are the same comparison. */
export function comparisonKey({ parts }: Comparison): string {
  return parts.map(serializeExpression).sort().join('\n')
}

function serializeExpression(part: Expression): string {
  return JSON.stringify(part, (key, value: unknown) =>
    key === 'source' || key === 'id' || key === 'outer' || key === 'output' ? undefined : value,
  )
}
