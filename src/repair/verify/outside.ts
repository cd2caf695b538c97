import type { Expression, QueryShape } from '../../sql/shape/query-shape.js'
import { someDeep, someInQuery } from '../../sql/shape/walk.js'
import { isVolatileCall } from '../../sql/volatile.js'

/** Calls without arguments that say something of the rows or nothing at all: numbers of rows, a count, a constant. */
const plain =
  /^(?:row_number|rank|dense_rank|percent_rank|cume_dist|count|pi|null|star|array_func|tuple|list|map|row|struct\w*)$/
/** Calls that without a day among their arguments mean the present one. */
const ofToday = /^(?:strftime|date|time|datetime|julianday|unixepoch|age)$/
const present = /^(?:now|today|current_\w+|localtime|localtimestamp)$/i

/**
 * What an expression takes neither from the data nor from the question, by its name: the clock, chance, the engine's
 * version, the user. What rests on it is another thing tomorrow, or elsewhere.
 */
function outsideOf(part: Expression): string | undefined {
  if (part.kind === 'literal')
    return part.type === 'text' && present.test(part.value) ? part.value : undefined
  if (part.kind !== 'apply' || part.op.startsWith('field:')) return undefined
  const { op, args } = part
  if (isVolatileCall(op)) return op
  const takesNothing = args.length === 0 && !plain.test(op)
  return takesNothing || (ofToday.test(op) && args.length < (op === 'strftime' ? 2 : 1)) ? op : undefined
}

/** Whether something in the expression comes from outside. */
export function isOutside(expression: Expression): boolean {
  return someDeep(expression, (part) => outsideOf(part) !== undefined)
}

/** What in the query comes from outside, by name. */
export function outsideIn(query: QueryShape): ReadonlySet<string> {
  const found = new Set<string>()
  someInQuery(query, (part) => {
    const name = outsideOf(part)
    if (name !== undefined) found.add(name)
    return false
  })
  return found
}
