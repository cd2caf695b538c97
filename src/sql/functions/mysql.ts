import { apply, type Expression, word } from '../shape/query-shape.js'
import {
  concatAll,
  daysBetween,
  type FunctionTable,
  ifToCase,
  interval,
  now,
  positionOf,
  renameTo,
  textLiteral,
  unitNamed,
  wholeUnits,
} from './function-table.js'
import { hashText, sha2 } from './hashes.js'
import { jsonExtract } from './json-paths.js'
import { stringAgg } from './string-aggregates.js'
import { firstMatch, firstSplitPart, regexpReplaceAll, repeatSpaces } from './string-functions.js'
import { formatTime, isDateFormat, parseTime } from './time-formats.js'
import { weekdayFromMonday, weekdayFromOne } from './weekdays.js'

export const mysql: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_of_all', ...args)],
  ['least', (args) => apply('least_of_all', ...args)],
  ['space', repeatSpaces],
  ['convert', ([value, type]) => converted(value, type)],
  ['isnull', renameTo('is_null', 1)],
  // The operator of other dialects on arrays is AND here.
  ['array_overlaps', (args) => (args.length === 2 ? apply('and', ...args) : undefined)],
  ['unix_timestamp', ([date]) => secondsSince1970(date)],
  ['json_unquote', ([value]) => unquoted(value)],
  ['substring_index', firstSplitPart],
  ['regexp_replace', regexpReplaceAll],
  ['regexp_substr', firstMatch],
  ['length', renameTo('octet_length', 1)],
  ['char_length', renameTo('length', 1)],
  ['if', ifToCase],
  ['datediff', ([late, early]) => daysBetween(late, early)],
  ['timestampdiff', ([unit, early, late]) => wholeUnits(unit, early, late)],
  ['timestampadd', ([unit, amount, date]) => added(unit, amount, date)],
  ['adddate', (args) => moved('+', args)],
  ['subdate', (args) => moved('-', args)],
  ['day_of_week', ([date]) => date && weekdayFromOne(date)],
  ['weekday', ([date]) => date && weekdayFromMonday(date)],
  ['week', ([date, mode]) => isoWeek(date, mode)],
  ['from_unixtime', renameTo('time_from_epoch', 1)],
  ['instr', ([value, part]) => positionOf(value, part)],
  ['concat', concatAll],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['xor', ([a, b]) => xorToOr(a, b)],
  ['str_to_date', ([value, format]) => parsedBy(value, format)],
  ['char', renameTo('chr', 1)],
  ['date_format', ([value, format]) => formatTime(value, format, 'mysql')],
  ['dayname', ([date]) => date && apply('format_time', textLiteral('%A'), date)],
  ['monthname', ([date]) => date && apply('format_time', textLiteral('%B'), date)],
  ['stddev', renameTo('stddev_pop', 1)],
  ['std', renameTo('stddev_pop', 1)],
  ['variance', renameTo('var_pop', 1)],
  ['hex', renameTo('upper_hex', 1)],
  ['group_concat', (args) => stringAgg(args, ',')],
  ['json_extract', (args) => jsonExtract('json_extract', args)],
  ['json_extract_scalar', (args) => jsonExtract('json_extract_scalar', args)],
  ['md5', hashText('md5')],
  ['sha1', hashText('sha1')],
  ['sha2', sha2],
])

function added(
  unit: Expression | undefined,
  amount: Expression | undefined,
  date: Expression | undefined,
): Expression | undefined {
  const name = unitNamed(unit)
  if (name === undefined || amount === undefined || date === undefined) return undefined
  return apply('+', date, interval(amount, name))
}

/** `ADDDATE(d, INTERVAL 1 MONTH)`; a plain number counts days. */
function moved(op: '+' | '-', [date, amount]: readonly Expression[]): Expression | undefined {
  if (date === undefined || amount === undefined) return undefined
  const isSpan = amount.kind === 'apply' && amount.op === 'interval'
  return apply(op, date, isSpan ? amount : interval(amount, 'day'))
}

/** `CONVERT(x, SIGNED)` is a cast. */
function converted(value: Expression | undefined, type: Expression | undefined): Expression | undefined {
  const name = type?.kind === 'column' ? type.name : type?.kind === 'literal' ? type.value : undefined
  return value === undefined || name === undefined || !/^(?:char|signed|date|datetime|time)$/iu.test(name)
    ? undefined
    : apply('cast', value, word(name.toLowerCase()))
}

/** `JSON_UNQUOTE(JSON_EXTRACT(x, '$.a'))` is `x ->> '$.a'`. */
function unquoted(value: Expression | undefined): Expression | undefined {
  return value?.kind === 'apply' && value.op === 'json_extract'
    ? apply('json_extract_scalar', ...value.args)
    : undefined
}

/** `UNIX_TIMESTAMP(d)`; what a difference of dates is read as is another date. */
function secondsSince1970(date: Expression | undefined): Expression | undefined {
  if (date === undefined) return apply('whole_epoch', now)
  return date.kind === 'column' || (date.kind === 'apply' && /^(?:cast|max|min|current_)/u.test(date.op))
    ? apply('epoch', date)
    : undefined
}

/** Mode 3 counts weeks as ISO 8601 does; without a mode the server's setting decides. */
function isoWeek(date: Expression | undefined, mode: Expression | undefined): Expression | undefined {
  return date !== undefined && mode?.kind === 'literal' && mode.value === '3'
    ? apply('week_of_year', date)
    : undefined
}

function xorToOr(a: Expression | undefined, b: Expression | undefined): Expression | undefined {
  if (a === undefined || b === undefined) return undefined
  return apply('or', apply('and', a, apply('not', b)), apply('and', apply('not', a), b))
}

/** A format without a time of the day gives a date. */
function parsedBy(value: Expression | undefined, format: Expression | undefined): Expression | undefined {
  return parseTime(value, format, 'mysql', isDateFormat(format, 'mysql') ? 'date' : 'moment')
}
