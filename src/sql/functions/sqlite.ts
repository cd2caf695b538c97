import { apply, type Expression, word } from '../shape/query-shape.js'
import { type FunctionTable, moved, named, now, textOf, today, truncated } from './table.js'

/** SQLite's dates are texts; its functions on them are the usual ones in other words. */
export const sqlite: FunctionTable = new Map([
  ['iif', (args) => (args.length === 3 ? ternary(args) : undefined)],
  ['date', (args) => dateOf(args)],
  ['datetime', (args) => (args.length === 1 && textOf(args[0]) === 'now' ? now : undefined)],
  ['strftime', (args) => formatted(args)],
  ['instr', named('strpos', 2)],
  ['cast', ([value, type]) => castToNumber(value, type)],
  ['-', (args) => daysBetween(args)],
])

/** SQLite has no dates: a cast to one makes a number of the text. */
function castToNumber(value: Expression | undefined, type: Expression | undefined): Expression | undefined {
  if (value === undefined || type?.kind !== 'literal' || type.value !== 'date') return undefined
  return apply('cast', value, word('numeric date'))
}

function daysBetween([late, early]: readonly Expression[]): Expression | undefined {
  const day = (value: Expression | undefined): Expression | undefined => {
    if (value?.kind !== 'apply' || value.op !== 'julianday' || value.args.length !== 1) return undefined
    return textOf(value.args[0]) === 'now' ? today : value.args[0]
  }
  const [to, from] = [day(late), day(early)]
  return to === undefined || from === undefined ? undefined : apply('days_between', to, from)
}

function ternary([condition, yes, no]: readonly Expression[]): Expression | undefined {
  if (condition === undefined || yes === undefined || no === undefined) return undefined
  return apply('case', apply('when', condition, yes), apply('else', no))
}

/** `date('now', '-30 days')`; modifiers apply from left to right. */
function dateOf([start, ...modifiers]: readonly Expression[]): Expression | undefined {
  if (start === undefined || (start.kind === 'literal' && textOf(start) !== 'now')) return undefined
  const isNow = textOf(start) === 'now'
  if (!isNow && modifiers.length === 0) return apply('cast', start, word('date'))
  return modifiers.reduce<Expression | undefined>(
    (value, modifier) => {
      const text = textOf(modifier)?.trim().toLowerCase() ?? ''
      const shift = /^([-+]?)\s*(\d+)\s+(day|month|year|hour|minute|second)s?$/u.exec(text)
      if (value === undefined) return undefined
      if (shift !== null)
        return moved(value, `${shift[1] === '-' ? '-' : ''}${shift[2] ?? ''}`, shift[3] ?? '')
      const start = /^start of (day|month|year)$/u.exec(text)
      return start?.[1] === undefined ? undefined : truncated(start[1], value)
    },
    isNow ? today : start,
  )
}

const formats = new Map([
  ['%Y-%m-01', 'month'],
  ['%Y-01-01', 'year'],
  ['%Y-%m-%d', 'day'],
])

function formatted([format, value, ...rest]: readonly Expression[]): Expression | undefined {
  const text = textOf(format)
  if (text === undefined || value === undefined) return undefined
  const isNow = textOf(value) === 'now'
  const moment = rest.length > 0 ? dateOf([value, ...rest]) : isNow ? today : value
  if (moment === undefined) return undefined
  const unit = formats.get(text)
  return unit === undefined
    ? apply('format_time', { kind: 'literal', type: 'text', value: text }, moment)
    : truncated(unit, moment)
}
