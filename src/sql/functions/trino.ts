import { apply, type Expression, word } from '../shape/query-shape.js'
import { elementAt, subscriptFromOneOrError } from './array-elements.js'
import { sliceByCount } from './array-slices.js'
import { arithmeticShiftRight, logicalShiftRight } from './bit-operations.js'
import {
  concatAll,
  daysBetween,
  type FunctionTable,
  renameTo,
  textLiteral,
  textLiteralValue,
  unitOf,
  wholeUnits,
} from './function-table.js'
import { hashBytes, unhex } from './hashes.js'
import { jsonExtract } from './json-paths.js'
import { stringAgg, withinGroup } from './string-aggregates.js'
import { firstMatch, firstSplitPart, regexpReplaceAll } from './string-functions.js'
import { formatTime, parseTime } from './time-formats.js'
import { isoWeekday } from './weekdays.js'

export const trino: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_of_all', ...args)],
  ['least', (args) => apply('least_of_all', ...args)],
  ['subscript', subscriptFromOneOrError],
  ['element_at', elementAt],
  ['repeat', renameTo('array_repeat', 2)],
  ['bitwise_arithmetic_shift_right', arithmeticShiftRight],
  ['bitwise_right_shift_arithmetic', arithmeticShiftRight],
  ['bitwise_right_shift', logicalShiftRight],
  ['slice', sliceByCount],
  ['flatten', renameTo('flatten', 1)],
  ['year_of_week', renameTo('iso_year', 1)],
  ['yow', renameTo('iso_year', 1)],
  ['json_parse', renameTo('parse_json', 1)],
  ['split_part', firstSplitPart],
  ['bitwise_and', renameTo('bitwise_and', 2)],
  ['bitwise_or', renameTo('bitwise_or', 2)],
  ['regexp_replace', regexpReplaceAll],
  ['regexp_extract', firstMatch],
  ['transform', renameTo('transform', 2)],
  ['filter', renameTo('filter', 2)],
  ['array_distinct', renameTo('array_distinct_in_order', 1)],
  ['to_base64', renameTo('base64', 1)],
  ['from_base64', renameTo('unbase64', 1)],
  ['day_of_week', ([date]) => date && isoWeekday(date)],
  ['dow', ([date]) => date && isoWeekday(date)],
  ['doy', renameTo('day_of_year', 1)],
  ['week', renameTo('week_of_year', 1)],
  ['last_day_of_month', renameTo('last_day', 1)],
  ['date_parse', ([value, format]) => parseTime(value, format, 'mysql', 'moment')],
  ['parse_datetime', ([value, format]) => parseTime(value, format, 'java', 'moment')],
  ['date_format', ([value, format]) => formatTime(value, format, 'mysql')],
  ['format_datetime', ([value, format]) => formatTime(value, format, 'java')],
  ['from_unixtime', renameTo('time_from_epoch', 1)],
  ['to_unixtime', renameTo('epoch', 1)],
  ['array_join', renameTo('array_to_string', 2)],
  ['split', renameTo('string_split', 2)],
  ['regexp_split', renameTo('string_split_regex', 2)],
  ['bitwise_xor', renameTo('bitwise_xor', 2)],
  ['from_utf8', renameTo('decode', 1)],
  ['concat', joinedTexts],
  ['format', formattedLiterals],
  ['date_diff', ([unit, early, late]) => difference(unit, early, late)],
  ['from_iso8601_timestamp', (args) => castToTimestamptz(args)],
  ['from_iso8601_timestamp_nanos', (args) => castToTimestamptz(args)],
  ['from_iso8601_date', ([value]) => value && apply('cast', value, word('date'))],
  ['sequence', (args) => apply('series', ...args)],
  ['unnest', (args) => unnestedSeries(args)],
  ['md5', hashBytes('md5')],
  ['sha1', hashBytes('sha1')],
  ['sha256', hashBytes('sha256')],
  ['sha512', hashBytes('sha512')],
  ['to_hex', renameTo('upper_hex', 1)],
  ['from_hex', unhex],
  ['to_utf8', renameTo('to_utf8', 1)],

  ['json_extract', (args) => jsonExtract('json_extract', args)],
  ['json_extract_scalar', (args) => jsonExtract('json_extract_scalar', args)],
  ['list_agg', (args) => stringAgg(args, '')],
  ['within_group', withinGroup],
  ['contains', renameTo('array_contains', 2)],
  ['levenshtein_distance', renameTo('levenshtein', 2)],
  ['approx_distinct', renameTo('approx_count_distinct', 1)],
])

/** `concat(CAST(a AS varchar), CAST(b AS varchar))`: what is cast to a text cannot be an array or bytes. */
function joinedTexts(args: readonly Expression[]): Expression | undefined {
  const texts = args.map((arg) => {
    const [inner, type] = arg.kind === 'apply' && arg.op === 'cast' ? arg.args : []
    return type?.kind === 'literal' && type.value === 'text' ? inner : undefined
  })
  const areCast = texts.every((inner) => inner !== undefined)
  return concatAll(areCast ? texts.flatMap((inner) => inner ?? []) : args)
}

/** Days are those of dates; of moments they are spans of 24 hours. */
function difference(
  unit: Expression | undefined,
  early: Expression | undefined,
  late: Expression | undefined,
): Expression | undefined {
  const areDates = early !== undefined && late !== undefined && isDate(early) && isDate(late)
  return unitOf(unit) === 'day' && areDates ? daysBetween(late, early) : wholeUnits(unit, early, late, true)
}

function isDate(value: Expression): boolean {
  if (value.kind === 'literal') return value.type === 'date'
  if (value.kind !== 'apply') return false
  const [, type] = value.args
  return (
    value.op === 'current_date' || (value.op === 'cast' && type?.kind === 'literal' && type.value === 'date')
  )
}

/** `format('%s', 1)`: whole numbers and texts are written alike in all dialects that fill places of a text. */
function formattedLiterals([format, ...values]: readonly Expression[]): Expression | undefined {
  const written = textLiteralValue(format)
  const isPlain = written !== undefined && !/[{}\\]|%(?!s)/u.test(written)
  const areKnown = values.every(
    (value) =>
      value.kind === 'literal' &&
      /^(?:text|number)$/u.test(value.type) &&
      !/[.e]/u.test(value.type === 'number' ? value.value : ''),
  )
  return isPlain && areKnown
    ? apply('format_places', textLiteral(written.replaceAll('%s', '{}')), ...values)
    : undefined
}

function castToTimestamptz(args: readonly Expression[]): Expression | undefined {
  return args.length === 1 ? apply('cast', ...args, word('timestamptz')) : undefined
}

function unnestedSeries(args: readonly Expression[]): Expression | undefined {
  return args.length === 1 && args[0]?.kind === 'apply' && args[0].op === 'series'
    ? apply('generate_series', ...args[0].args)
    : undefined
}
