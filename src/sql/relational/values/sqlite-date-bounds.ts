import type { Bound } from '../../conditions/literal-bounds.js'
import { dateLiteral } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'
import { isStable } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { dayAfter } from './periods.js'
import { holdsDays, holdsTimes, holdsWrittenTimes } from './temporal-kinds.js'

/**
 * A comparison with a day or a moment in SQLite, as one with a day. There both are texts: a day is before its own
 * midnight, a moment with a space before all with a T.
 */
export function textDateBound(
  subject: Expression,
  op: Bound['op'],
  value: Expression,
  facts: Facts,
): Expression | undefined {
  if (value.kind !== 'literal' || !/^(?:text|date)$/u.test(value.type) || !isStable(subject)) return undefined
  const written = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2}))?$/u.exec(value.value)
  const [, day = '', time] = written ?? []
  const next = dayAfter(day)
  if (next === undefined) return undefined
  const isShifted = op === '<=' || op === '>'
  if (time === undefined) {
    const areDays = holdsDays(subject, facts)
    if (isShifted && areDays) return bound(subject, op, next)
    if (value.type === 'date' || !holdsTimes(subject, facts)) return undefined
    const literal = dateLiteral(day)
    return op === '>' || op === '>=' ? apply(turnedAround[op], literal, subject) : apply(op, subject, literal)
  }
  if (time === '23:59:59' && isShifted && (holdsDays(subject, facts) || holdsWrittenTimes(subject, facts)))
    return bound(subject, op, next)
  const isMidnight = time === '00:00:00' && (op === '<' || op === '>=')
  return isMidnight && holdsWrittenTimes(subject, facts) ? bound(subject, op, day) : undefined
}

const turnedAround = { '>': '<', '>=': '<=' } as const

/** Before the day, or from it on. */
function bound(subject: Expression, op: Bound['op'], day: string): Expression {
  return op === '<' || op === '<='
    ? apply('<', subject, dateLiteral(day))
    : apply('<=', dateLiteral(day), subject)
}
