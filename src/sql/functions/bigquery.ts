import { apply, type Expression } from '../shape/query-shape.js'
import { ascendingSeries, subscriptByOffset } from './array-elements.js'
import { negativeSubstringToRight } from './array-slices.js'
import { logicalShiftRight } from './bit-operations.js'
import {
  concatAll,
  dateTrunc,
  type FunctionTable,
  namedStruct,
  numberLiteral,
  positionOf,
  renameTo,
  unitBoundaries,
  unitOf,
  wholeUnits,
} from './function-table.js'
import { hashBytes } from './hashes.js'
import { jsonExtract } from './json-paths.js'
import { stringAgg } from './string-aggregates.js'
import { firstMatchOrGroup, makeDate, regexpReplaceAll, split } from './string-functions.js'
import { formatTime, parseTime } from './time-formats.js'

export const bigquery: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_of_all', ...args)],
  ['least', (args) => apply('least_of_all', ...args)],
  ['subscript', subscriptByOffset],
  ['split', split],
  ['edit_distance', renameTo('levenshtein', 2)],
  ['regexp_replace', regexpReplaceAll],
  ['regexp_extract', firstMatchOrGroup],
  ['bitwise_right_shift', logicalShiftRight],
  ['byte_length', renameTo('octet_length', 1)],
  ['parse_json', renameTo('parse_json', 1)],
  ['substr', negativeSubstringToRight],
  ['substring', negativeSubstringToRight],
  ['generate_array', ascendingSeries],
  ['div', renameTo('int_div', 2)],
  ['to_base64', renameTo('base64', 1)],
  ['from_base64', renameTo('unbase64', 1)],
  ['date', makeDate],
  ['struct', namedStruct],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['date_diff', ([late, early, unit]) => unitBoundaries(unit, early, late, 'week from sunday')],
  ['datetime_diff', ([late, early, unit]) => unitBoundaries(unit, early, late, 'week from sunday')],
  ['timestamp_diff', ([late, early, unit]) => wholeUnits(unit, early, late)],
  ['date_trunc', (args) => truncation(args)],
  ['timestamp_trunc', (args) => truncation(args)],
  ['datetime_trunc', (args) => truncation(args)],
  ['timestamp_add', (args) => addInterval('+', args)],
  ['timestamp_sub', (args) => addInterval('-', args)],
  ['datetime_add', (args) => addInterval('+', args)],
  ['datetime_sub', (args) => addInterval('-', args)],
  [
    'last_day',
    ([date, unit]) => (unit === undefined || unitOf(unit) === 'month' ? lastDay(date) : undefined),
  ],
  [
    'safe_divide',
    ([a, b]) => (a && b ? apply('fdiv', a, apply('nullif', b, numberLiteral('0'))) : undefined),
  ],
  ['format_date', ([format, value]) => formatTime(value, format, 'strftime')],
  ['format_datetime', ([format, value]) => formatTime(value, format, 'strftime')],
  [
    'format_timestamp',
    ([format, value, zone]) => (zone === undefined ? formatTime(value, format, 'strftime') : undefined),
  ],
  ['parse_date', ([format, value]) => parseTime(value, format, 'strftime', 'date')],
  ['parse_datetime', ([format, value]) => parseTime(value, format, 'strftime', 'moment')],
  ['timestamp_seconds', renameTo('utc_time_from_epoch', 1)],
  ['unix_seconds', renameTo('whole_epoch', 1)],
  ['regexp_contains', renameTo('regexp_like', 2)],
  ['array_length', renameTo('cardinality', 1)],
  ['instr_from', (args) => apply('instr', ...args)],
  ['instr', (args) => (args.length === 2 ? positionOf(args[0], args[1]) : undefined)],
  ['concat', concatAll],
  ['string_agg', (args) => stringAgg(args, ',')],
  ['md5', hashBytes('md5')],
  ['sha1', hashBytes('sha1')],
  ['sha256', hashBytes('sha256')],
  ['sha512', hashBytes('sha512')],
  ['to_hex', renameTo('lower_hex', 1)],
  ['json_extract', (args) => jsonExtract('json_extract', args)],
  ['json_query', (args) => jsonExtract('json_extract', args)],
  ['json_extract_scalar', (args) => jsonExtract('json_extract_scalar', args)],
  ['json_value', (args) => jsonExtract('json_extract_scalar', args)],
])

/** WEEK begins on Sunday; WEEK(MONDAY) and ISOWEEK are the weeks of other dialects. */
function truncation([value, unit, ...rest]: readonly Expression[]): Expression | undefined {
  if (value === undefined || unit === undefined || rest.length > 0) return undefined
  if (isMondayWeek(unit)) return dateTrunc('week', value)
  const name = unitOf(unit)
  if (name === undefined) return undefined
  return dateTrunc(name === 'week' ? 'week from sunday' : name, value)
}

function isMondayWeek(unit: Expression): boolean {
  if (unit.kind === 'apply') {
    const [first] = unit.args
    return unit.op.startsWith('week') && nameOf(first) === 'monday' && unit.args.length === 1
  }
  return nameOf(unit) === 'isoweek'
}

function nameOf(value: Expression | undefined): string | undefined {
  if (value?.kind === 'column') return value.name.toLowerCase()
  return value?.kind === 'literal' ? value.value.toLowerCase() : undefined
}

function addInterval(op: '+' | '-', [value, span]: readonly Expression[]): Expression | undefined {
  const isSpan = span?.kind === 'apply' && span.op === 'interval'
  return value !== undefined && isSpan ? apply(op, value, span) : undefined
}

function lastDay(date: Expression | undefined): Expression | undefined {
  return date && apply('last_day', date)
}
