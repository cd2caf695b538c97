import {
  type Expression,
  isVolatileCall,
  type QueryShape,
  someDeep,
  someInQuery,
} from '../../../../sql/index.js'

/**
 * Functions that without arguments depend on the rows only, or on nothing: row numbers, a count, a constant.
 */
const deterministicCalls =
  /^(?:row_number|rank|dense_rank|percent_rank|cume_dist|count|pi|null|star|array_func|tuple|list|map|row|struct\w*)$/
/** Functions that refer to the current date if none of their arguments is a date. */
const currentDateFunctions = /^(?:strftime|date|time|datetime|julianday|unixepoch|age)$/
const currentTimePattern = /^(?:now|today|current_\w+|localtime|localtimestamp)$/i

/**
 * Returns the name of a source outside the data and the question that an expression uses: the clock, random
 * numbers, the engine's version, the user. Its result differs tomorrow, or elsewhere.
 */
function nondeterminismSource(part: Expression): string | undefined {
  if (part.kind === 'literal')
    return part.type === 'text' && currentTimePattern.test(part.value) ? part.value : undefined
  if (part.kind !== 'apply' || part.op.startsWith('field:')) return undefined
  const { op, args } = part
  if (isVolatileCall(op)) return op
  const takesNothing = args.length === 0 && !deterministicCalls.test(op)
  return takesNothing || (currentDateFunctions.test(op) && args.length < (op === 'strftime' ? 2 : 1))
    ? op
    : undefined
}

/** Reports whether the expression depends on such a source. */
export function isNondeterministic(expression: Expression): boolean {
  return someDeep(expression, (part) => nondeterminismSource(part) !== undefined)
}

/** Returns the names of such sources in the query. */
export function nondeterminismIn(query: QueryShape): ReadonlySet<string> {
  const found = new Set<string>()
  someInQuery(query, (part) => {
    const name = nondeterminismSource(part)
    if (name !== undefined) found.add(name)
    return false
  })
  return found
}
