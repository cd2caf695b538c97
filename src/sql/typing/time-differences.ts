import { textLiteralValue, today } from '../functions/function-table.js'
import { apply, type Expression, word } from '../shape/query-shape.js'

/** The earlier and the later of two moments of which a call takes the difference. */
interface Between {
  readonly early: Expression
  readonly late: Expression
}

/**
 * Two moments whose difference in seconds the call gives: `EXTRACT(EPOCH FROM a - b)`, `strftime('%s', a) - strftime('%s',
 * b)`, `epoch(a) - epoch(b)`. As whole seconds where the moments have no fractions of one.
 */
export function secondsBetween(expression: Expression & { kind: 'apply' }): Between | undefined {
  const [first, second] = expression.args
  if (expression.op === 'epoch' && first?.kind === 'apply' && /^-(?: of days)?$/u.test(first.op)) {
    const [late, early] = first.args
    const isSpan = early?.kind === 'apply' && early.op === 'interval'
    return late === undefined || early === undefined || isSpan ? undefined : { early, late }
  }
  if (expression.op !== '-') return undefined
  const [late, early] = [secondsOf(first), secondsOf(second)]
  return late === undefined || early === undefined ? undefined : { early, late }
}

export function wholeSeconds({ early, late }: Between): Expression {
  return apply('whole_units', word('second'), early, late)
}

/** The moment of which a value is the seconds since 1970. */
function secondsOf(value: Expression | undefined): Expression | undefined {
  if (value?.kind !== 'apply') return undefined
  const [first, second] = value.args
  if (value.op === 'format_time') return textLiteralValue(first) === '%s' ? second : undefined
  if (value.op === 'cast') return secondsOf(first)
  return value.op === 'epoch' || value.op === 'whole_epoch' ? first : undefined
}

/** `julianday('now') - max(julianday(d))`: what is taken from now, as a day. */
export function startOfDaysUntilNow(expression: Expression): Expression | undefined {
  if (expression.kind !== 'apply') return undefined
  const [late, early] = expression.args
  if (expression.op === 'julian_days') return isNow(late) ? early : undefined
  const isFromNow = expression.op === '-' && late?.kind === 'apply' && late.op === 'julian_day'
  if (!isFromNow || textLiteralValue(late.args[0]) !== 'now' || early?.kind !== 'apply') return undefined
  const [inner] = early.args
  const isLast = early.op === 'max' || early.op === 'min'
  return isLast && inner?.kind === 'apply' && inner.op === 'julian_day' && inner.args[0] !== undefined
    ? apply(early.op, inner.args[0])
    : undefined
}

function isNow(value: Expression | undefined): boolean {
  return value?.kind === 'apply' && value.op === 'current_timestamp' && value.args.length === 0
}

export function daysUntilToday(day: Expression): Expression {
  return apply('days_between', today, day)
}
