import { apply, type Expression, word } from '../shape/query-shape.js'
import { shiftedRight, shiftedRightFromZero } from './bits.js'
import { elementAt, fromOneOrError } from './elements.js'
import { hashBytes, unhex } from './hashes.js'
import { jsonAt } from './json-paths.js'
import { sliceOfCount } from './slices.js'
import { textsJoined, withinGroup } from './string-aggregates.js'
import { daysBetween, type FunctionTable, joined, named, text, textOf, unitOf, wholeUnits } from './table.js'
import { firstMatch, firstSplitPart, replacedMatches } from './texts.js'
import { formatted, parsed } from './time-formats.js'
import { isoWeekday } from './weekdays.js'

export const trino: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_of_all', ...args)],
  ['least', (args) => apply('least_of_all', ...args)],
  ['subscript', fromOneOrError],
  ['element_at', elementAt],
  ['repeat', named('array_repeat', 2)],
  ['bitwise_arithmetic_shift_right', shiftedRight],
  ['bitwise_right_shift_arithmetic', shiftedRight],
  ['bitwise_right_shift', shiftedRightFromZero],
  ['slice', sliceOfCount],
  ['flatten', named('flatten', 1)],
  ['year_of_week', named('iso_year', 1)],
  ['yow', named('iso_year', 1)],
  ['json_parse', named('parse_json', 1)],
  ['split_part', firstSplitPart],
  ['bitwise_and', named('bitwise_and', 2)],
  ['bitwise_or', named('bitwise_or', 2)],
  ['regexp_replace', replacedMatches],
  ['regexp_extract', firstMatch],
  ['transform', named('transform', 2)],
  ['filter', named('filter', 2)],
  ['array_distinct', named('array_distinct_in_order', 1)],
  ['to_base64', named('base64', 1)],
  ['from_base64', named('unbase64', 1)],
  ['day_of_week', ([date]) => date && isoWeekday(date)],
  ['dow', ([date]) => date && isoWeekday(date)],
  ['doy', named('day_of_year', 1)],
  ['week', named('week_of_year', 1)],
  ['last_day_of_month', named('last_day', 1)],
  ['date_parse', ([value, format]) => parsed(value, format, 'mysql', 'moment')],
  ['parse_datetime', ([value, format]) => parsed(value, format, 'java', 'moment')],
  ['date_format', ([value, format]) => formatted(value, format, 'mysql')],
  ['format_datetime', ([value, format]) => formatted(value, format, 'java')],
  ['from_unixtime', named('time_from_epoch', 1)],
  ['to_unixtime', named('epoch', 1)],
  ['array_join', named('array_to_string', 2)],
  ['split', named('string_split', 2)],
  ['regexp_split', named('string_split_regex', 2)],
  ['bitwise_xor', named('bitwise_xor', 2)],
  ['from_utf8', named('decode', 1)],
  ['concat', joinedTexts],
  ['format', formattedLiterals],
  ['date_diff', ([unit, early, late]) => difference(unit, early, late)],
  ['from_iso8601_timestamp', (args) => zoned(args)],
  ['from_iso8601_timestamp_nanos', (args) => zoned(args)],
  ['from_iso8601_date', ([value]) => value && apply('cast', value, word('date'))],
  ['sequence', (args) => apply('series', ...args)],
  ['unnest', (args) => unnestedSeries(args)],
  ['md5', hashBytes('md5')],
  ['sha1', hashBytes('sha1')],
  ['sha256', hashBytes('sha256')],
  ['sha512', hashBytes('sha512')],
  ['to_hex', named('upper_hex', 1)],
  ['from_hex', unhex],
  ['to_utf8', named('to_utf8', 1)],

  ['json_extract', (args) => jsonAt('json_extract', args)],
  ['json_extract_scalar', (args) => jsonAt('json_extract_scalar', args)],
  ['list_agg', (args) => textsJoined(args, '')],
  ['within_group', withinGroup],
  ['contains', named('array_contains', 2)],
  ['levenshtein_distance', named('levenshtein', 2)],
  ['approx_distinct', named('approx_count_distinct', 1)],
])

/** `concat(CAST(a AS varchar), CAST(b AS varchar))`: what is cast to a text cannot be an array or bytes. */
function joinedTexts(args: readonly Expression[]): Expression | undefined {
  const texts = args.map((arg) => {
    const [inner, type] = arg.kind === 'apply' && arg.op === 'cast' ? arg.args : []
    return type?.kind === 'literal' && type.value === 'text' ? inner : undefined
  })
  const areCast = texts.every((inner) => inner !== undefined)
  return joined(areCast ? texts.flatMap((inner) => inner ?? []) : args)
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
  const written = textOf(format)
  const isPlain = written !== undefined && !/[{}\\]|%(?!s)/u.test(written)
  const areKnown = values.every(
    (value) =>
      value.kind === 'literal' &&
      /^(?:text|number)$/u.test(value.type) &&
      !/[.e]/u.test(value.type === 'number' ? value.value : ''),
  )
  return isPlain && areKnown
    ? apply('format_places', text(written.replaceAll('%s', '{}')), ...values)
    : undefined
}

function zoned(args: readonly Expression[]): Expression | undefined {
  return args.length === 1 ? apply('cast', ...args, word('timestamptz')) : undefined
}

function unnestedSeries(args: readonly Expression[]): Expression | undefined {
  return args.length === 1 && args[0]?.kind === 'apply' && args[0].op === 'series'
    ? apply('generate_series', ...args[0].args)
    : undefined
}
