import { apply, type Expression } from '../shape/query-shape.js'
import { shiftedLeft, shiftedRight } from './bits.js'
import { fromZero } from './elements.js'
import { hashText, sha2 } from './hashes.js'
import { endOrAll, sliceOfCount } from './slices.js'
import {
  daysBetween,
  type FunctionTable,
  interval,
  joined,
  named,
  namedStruct,
  now,
  positionOf,
  truncated,
  unitOf,
  wholeUnits,
} from './table.js'
import { containsText, dayFrom, decoded, replacedMatches, spaces, splitPart } from './texts.js'
import { formatted, parsed } from './time-formats.js'
import { weekdayFromMonday, weekdayFromOne } from './weekdays.js'

export const spark: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_given', ...args)],
  ['least', (args) => apply('least_given', ...args)],
  ['subscript', fromZero],
  ['split_part', splitPart],
  ['slice', sliceOfCount],
  ['array_repeat', named('array_repeat', 2)],
  ['shiftleft', shiftedLeft],
  ['shiftright', shiftedRight],
  ['bitwise_right_shift', shiftedRight],
  ['contains', containsText],
  ['substr', endOrAll],
  ['substring', endOrAll],
  [
    'unix_timestamp',
    ([date, ...rest]) => (rest.length === 0 ? apply('whole_epoch', date ?? now) : undefined),
  ],
  ['add_months', ([date, months]) => movedMonths(date, months)],
  ['regexp_replace', replacedMatches],
  ['transform', named('transform', 2)],
  ['filter', named('filter', 2)],
  ['array_distinct', named('array_distinct_in_order', 1)],
  ['space', spaces],
  ['make_date', dayFrom],
  ['struct', namedStruct],
  ['decode', decoded],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['day_of_week', ([date]) => date && weekdayFromOne(date)],
  ['weekday', ([date]) => date && weekdayFromMonday(date)],
  ['datediff', ([late, early, third]) => (third === undefined ? daysBetween(late, early) : undefined)],
  ['timestampdiff', ([unit, early, late]) => wholeUnits(unit, early, late)],
  ['date_add', ([date, days, third]) => (third === undefined ? moved('+', date, days) : undefined)],
  ['date_sub', ([date, days, third]) => (third === undefined ? moved('-', date, days) : undefined)],
  ['date_format', ([value, format]) => formatted(value, format, 'java')],
  [
    'to_date',
    ([value, format]) =>
      value && format === undefined ? apply('cast', value, dateType) : parsed(value, format, 'java', 'date'),
  ],
  ['to_timestamp', ([value, format]) => parsed(value, format, 'java', 'moment')],
  ['trunc', ([date, unit]) => cut(date, unit)],
  ['instr', ([value, part]) => positionOf(value, part)],
  ['size', named('cardinality_or_minus_one', 1)],
  ['cardinality', named('cardinality_or_minus_one', 1)],
  ['array_size', named('cardinality', 1)],
  ['array_join', named('array_to_string', 2)],
  ['concat', joined],
  ['hex', named('upper_hex', 1)],
  ['md5', hashText('md5')],
  ['sha1', hashText('sha1')],
  ['sha2', sha2],
])

/** `date_add(d, 7)` counts days. */
function moved(
  op: '+' | '-',
  date: Expression | undefined,
  days: Expression | undefined,
): Expression | undefined {
  if (date === undefined || days === undefined || (days.kind === 'apply' && days.op === 'interval'))
    return undefined
  return apply(op, apply('cast', date, dateType), interval(days, 'day'))
}

/** `add_months(d, 2)` ends at the end of a shorter month, and gives a date. */
function movedMonths(date: Expression | undefined, months: Expression | undefined): Expression | undefined {
  return date === undefined || months === undefined
    ? undefined
    : apply('+', apply('cast', date, dateType), interval(months, 'month'))
}

const dateType: Expression = { kind: 'literal', type: 'word', value: 'date' }

const shortUnits: ReadonlyMap<string, string> = new Map([
  ['mm', 'month'],
  ['mon', 'month'],
  ['yy', 'year'],
  ['yyyy', 'year'],
])

/** `trunc(d, 'MM')` is the start of the month. */
function cut(date: Expression | undefined, unit: Expression | undefined): Expression | undefined {
  const written = unit?.kind === 'literal' && unit.type === 'text' ? unit.value.toLowerCase() : ''
  const name = shortUnits.get(written) ?? unitOf(unit)
  return date === undefined || name === undefined ? undefined : truncated(name, date)
}
