import type { Dialect } from '../../enums/dialect.js'
import { textLiteralValue } from '../functions/function-table.js'
import type { Expression } from '../shape/query-shape.js'

/** Whether a value is what SQLite's `date(x, '+14 days')` is read as: a cast of it is not the author's, but part of the call. */
export function isShiftedDate(value: Expression, dialect: Dialect): boolean {
  const [, span] = value.kind === 'apply' && (value.op === '+' || value.op === '-') ? value.args : []
  return dialect === 'sqlite' && span?.kind === 'apply' && span.op === 'interval'
}

/** A cast to a date of what is a day, or of a text that is written as one. */
export function castOperandIfDay(
  value: Expression,
  mayBeDay: (value: Expression, isRead: boolean) => boolean,
): Expression | undefined {
  const [text, format] = value.kind === 'apply' && value.op === 'parse_time' ? value.args : []
  const written = textLiteralValue(format) === '%Y-%m-%d' ? text : undefined
  const day = written ?? value
  return mayBeDay(day, written !== undefined) ? day : undefined
}
