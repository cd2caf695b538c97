import type { Expression, QueryShape } from './shape/query-shape.js'
import { someDeep, someInQuery } from './shape/rewrite-query.js'

/** Functions that may give another value each time they are called, by what their names have in common. */
const volatileName =
  /^(?:\w+\.)*(?:u?rand|random|(?:\w+_)?rand(?:om)?(?:n|int|str|blob)?(?:_\w+)?|random\w*|\w*uuid\w*|\w*guid\w*|newid|nextval|next_value|currval|lastval|setval|setseed|shuffle|(?:pg_)?sleep\w*|clock_timestamp|sysdate|timeofday|txid_current|uniform|zipf|normal|seq[1248]|changes|total_changes|last_insert_\w+|monotonically_increasing_id)(?: of .*)?$/u

const cachedAnswers = new Map<string, boolean>()

/** Whether the call may give another value, or do something, each time it is evaluated. */
export function isVolatileCall(op: string): boolean {
  const found = cachedAnswers.get(op)
  if (found !== undefined) return found
  const answer = volatileName.test(op)
  cachedAnswers.set(op, answer)
  return answer
}

function isCall(part: Expression): boolean {
  return part.kind === 'apply' && isVolatileCall(part.op)
}

/** Whether a part of it, in subqueries too, may give another value when it is evaluated again. */
export function isVolatile(expression: Expression): boolean {
  return someDeep(expression, isCall)
}

/**
 * Whether the query calls a function that is evaluated anew at each of its places: it must neither be evaluated more
 * or less often, nor at another place, nor may two of its calls be treated as one.
 */
export function isVolatileQuery(query: QueryShape): boolean {
  return someInQuery(query, isCall)
}
