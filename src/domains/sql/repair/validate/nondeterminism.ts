import {
  type Expression,
  isVolatileCall,
  type QueryShape,
  someDeep,
  someInQuery,
} from '../../../../sql/index.js'

/** Calls without arguments that say something of the rows or nothing at all: numbers of rows, a count, a constant. */
const deterministicCalls =
  /^(?:row_number|rank|dense_rank|percent_rank|cume_dist|count|pi|null|star|array_func|tuple|list|map|row|struct\w*)$/
/** Calls that without a day among their arguments mean the present one. */
const currentDateFunctions = /^(?:strftime|date|time|datetime|julianday|unixepoch|age)$/
const currentTimePattern = /^(?:now|today|current_\w+|localtime|localtimestamp)$/i

/**
 * What an expression takes neither from the data nor from the question, by its name: the clock, chance, the engine's
 * version, the user. What rests on it is another thing tomorrow, or elsewhere.
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

/** Whether something in the expression comes from outside. */
export function isNondeterministic(expression: Expression): boolean {
  return someDeep(expression, (part) => nondeterminismSource(part) !== undefined)
}

/** What in the query comes from outside, by name. */
export function nondeterminismIn(query: QueryShape): ReadonlySet<string> {
  const found = new Set<string>()
  someInQuery(query, (part) => {
    const name = nondeterminismSource(part)
    if (name !== undefined) found.add(name)
    return false
  })
  return found
}
