import { apply, type Expression } from '../shape/query-shape.js'
import { subscriptFromZero } from './array-elements.js'
import { negativeSubstringToRight, sliceByCount } from './array-slices.js'
import { arithmeticShiftRight, shiftLeft } from './bit-operations.js'
import {
  concatAll,
  dateTrunc,
  daysBetween,
  type FunctionTable,
  interval,
  namedStruct,
  now,
  positionOf,
  renameTo,
  unitOf,
  wholeUnits,
} from './function-table.js'
import { hashText, sha2 } from './hashes.js'
import {
  containsText,
  dateFromParts,
  decodeToCase,
  regexpReplaceAll,
  repeatSpaces,
  splitPart,
} from './string-functions.js'
import { formatTime, parseTime } from './time-formats.js'
import { weekdayFromMonday, weekdayFromOne } from './weekdays.js'

export const spark: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_given', ...args)],
  ['least', (args) => apply('least_given', ...args)],
  ['subscript', subscriptFromZero],
  ['split_part', splitPart],
  ['slice', sliceByCount],
  ['array_repeat', renameTo('array_repeat', 2)],
  ['shiftleft', shiftLeft],
  ['shiftright', arithmeticShiftRight],
  ['bitwise_right_shift', arithmeticShiftRight],
  ['contains', containsText],
  ['substr', negativeSubstringToRight],
  ['substring', negativeSubstringToRight],
  [
    'unix_timestamp',
    ([date, ...rest]) => (rest.length === 0 ? apply('whole_epoch', date ?? now) : undefined),
  ],
  ['add_months', ([date, months]) => movedMonths(date, months)],
  ['regexp_replace', regexpReplaceAll],
  ['transform', renameTo('transform', 2)],
  ['filter', renameTo('filter', 2)],
  ['array_distinct', renameTo('array_distinct_in_order', 1)],
  ['space', repeatSpaces],
  ['make_date', dateFromParts],
  ['struct', namedStruct],
  ['decode', decodeToCase],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['day_of_week', ([date]) => date && weekdayFromOne(date)],
  ['weekday', ([date]) => date && weekdayFromMonday(date)],
  ['datediff', ([late, early, third]) => (third === undefined ? daysBetween(late, early) : undefined)],
  ['timestampdiff', ([unit, early, late]) => wholeUnits(unit, early, late)],
  ['date_add', ([date, days, third]) => (third === undefined ? moved('+', date, days) : undefined)],
  ['date_sub', ([date, days, third]) => (third === undefined ? moved('-', date, days) : undefined)],
  ['date_format', ([value, format]) => formatTime(value, format, 'java')],
  [
    'to_date',
    ([value, format]) =>
      value && format === undefined
        ? apply('cast', value, dateType)
        : parseTime(value, format, 'java', 'date'),
  ],
  ['to_timestamp', ([value, format]) => parseTime(value, format, 'java', 'moment')],
  ['trunc', ([date, unit]) => cut(date, unit)],
  ['instr', ([value, part]) => positionOf(value, part)],
  ['size', renameTo('cardinality_or_minus_one', 1)],
  ['cardinality', renameTo('cardinality_or_minus_one', 1)],
  ['array_size', renameTo('cardinality', 1)],
  ['array_join', renameTo('array_to_string', 2)],
  ['concat', concatAll],
  ['hex', renameTo('upper_hex', 1)],
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
  return date === undefined || name === undefined ? undefined : dateTrunc(name, date)
}
