import type { SqlToken } from '../../../../../sql/index.js'
import type { ChangedQuery } from '../../model/changed-queries.js'
import { type RepairContext, tokensOf } from '../../model/repair-context.js'

/**
 * Describes how a change weakens the values of questions: a bound of a period that is no longer compared, or
 * a condition on a value that becomes one of several alternatives, so that the value restricts nothing.
 */
export function weakenedParameters(
  { path, ...query }: ChangedQuery,
  { dialect, parser }: RepairContext,
): string[] {
  const [before, after] = [query.before, query.after].map((each) =>
    tokensOf(each?.text ?? '', dialect, parser),
  )
  if (before === undefined || after === undefined) return []
  const kept = new Set(after.flatMap(periodBound))
  const lost = new Set(before.flatMap(periodBound).filter((bound) => !kept.has(bound)))
  const known = parametersInDisjunctions(before)
  const loose = [...parametersInDisjunctions(after)].filter((value) => !known.has(value))
  return [
    ...[...lost].map((bound) => `only one case supports removing the ${bound} from ${path}`),
    ...loose.map((value) => `only one case supports combining ${value} with OR in ${path}`),
  ]
}

/** Returns `end of period` for `{{ period.end_exclusive }}`. */
function periodBound({ kind, value }: SqlToken): string[] {
  const found = /^(?<name>\w+)\.(?<part>start|end)/u.exec(value)?.groups
  return kind === 'placeholder' && found !== undefined ? [`${found['part']} of ${found['name']}`] : []
}

/** Keywords after which another condition begins. */
const conditionStarts: ReadonlySet<string> = new Set(
  'SELECT FROM WHERE ON JOIN LEFT GROUP ORDER HAVING LIMIT QUALIFY CASE WHEN THEN ELSE END UNION'.split(' '),
)

/** The condition read so far: whether it is a disjunction, and the placeholders that it compares. */
interface ConditionScope {
  isDisjunction: boolean
  values: string[]
}

/** Returns the parameters of which some comparison is only one side of an OR. */
function parametersInDisjunctions(tokens: readonly SqlToken[]): ReadonlySet<string> {
  const found = new Set<string>()
  const open: ConditionScope[] = []
  let current: ConditionScope = { isDisjunction: false, values: [] }
  const close = (): ConditionScope => {
    const closed = current
    if (closed.isDisjunction) for (const value of closed.values) found.add(value)
    current = { isDisjunction: false, values: [] }
    return closed
  }
  for (const { kind, value } of tokens) {
    if (kind === 'placeholder') current.values.push(value.split('.')[0] ?? value)
    else if (value === '(') {
      open.push(current)
      current = { isDisjunction: false, values: [] }
    } else if (value === ')') {
      const { values } = close()
      current = open.pop() ?? current
      current.values.push(...values)
    } else if (kind === 'word' && value === 'OR') current.isDisjunction = true
    else if (kind === 'word' && conditionStarts.has(value)) close()
  }
  close()
  return found
}
