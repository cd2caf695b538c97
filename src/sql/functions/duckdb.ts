import { apply, type Expression, word } from '../shape/query-shape.js'
import { listToArrayAgg, medianToPercentile, percentileToCommon, quantileToPercentile } from './aggregates.js'
import { elementAt, subscriptFromOne } from './array-elements.js'
import { bracketSlice, negativeSubstringToRight, sliceByBounds } from './array-slices.js'
import { arithmeticShiftRight } from './bit-operations.js'
import {
  ageToCommon,
  concatIgnoringNulls,
  type FunctionTable,
  labelledPart,
  renameTo,
  textLiteral,
  textLiteralValue,
  today,
  unitBoundaries,
  wholeUnits,
} from './function-table.js'
import { hashText, unhex } from './hashes.js'
import { jsonExtract } from './json-paths.js'
import { stringAgg, withinGroup } from './string-aggregates.js'
import { makeDate, regexpReplaceGlobal, splitPart, startsWith } from './string-functions.js'
import { formatTime, parseTime } from './time-formats.js'
import { isoWeekday, weekdayFromSunday } from './weekdays.js'

export const duckdb: FunctionTable = new Map([
  ['bitwise_right_shift', arithmeticShiftRight],
  ['strlen', renameTo('octet_length', 1)],
  ['isoyear', renameTo('iso_year', 1)],
  ['flatten', renameTo('flatten', 1)],
  ['list_slice', sliceByBounds],
  ['array_slice', (args) => sliceByBounds(args) ?? bracketSlice(args)],
  ['json', renameTo('parse_json', 1)],
  ['ascii', renameTo('code_point', 1)],
  ['string_to_array', renameTo('string_split', 2)],
  ['substr', negativeSubstringToRight],
  ['substring', negativeSubstringToRight],
  ['today', (args) => (args.length === 0 ? today : undefined)],
  ['unnest', ([list, ...rest]) => (rest.length === 0 ? unnestedSeries(list) : undefined)],
  ['greatest', (args) => apply('greatest_given', ...args)],
  ['least', (args) => apply('least_given', ...args)],
  ['date_sub', (args) => (args.length === 3 ? wholeUnits(args[0], args[1], args[2], true) : undefined)],
  ['median', medianToPercentile],
  ['to_base64', renameTo('base64', 1)],
  ['from_base64', renameTo('unbase64', 1)],
  ['aggregate_function', (args) => quantileToPercentile(args) ?? listToArrayAgg(args)],
  ['split_part', splitPart],
  ['suffix', renameTo('ends_with', 2)],
  ['prefix', renameTo('starts_with', 2)],
  ['starts_with', startsWith],
  ['subscript', subscriptFromOne],
  ['list_extract', elementAt],
  ['list_element', elementAt],
  ['array_extract', elementAt],
  ['count', (args) => (args.length === 0 ? apply('count', word('*')) : undefined)],
  ['mean', renameTo('avg', 1)],
  ['contains', ([value, part]) => containsToLike(value, part)],
  ['similar_to', regexpFullMatch],
  ['list_transform', renameTo('transform', 2)],
  ['list_apply', renameTo('transform', 2)],
  ['array_transform', renameTo('transform', 2)],
  ['list_filter', renameTo('filter', 2)],
  ['array_filter', renameTo('filter', 2)],
  ['regexp_replace', regexpReplaceGlobal],
  ['make_date', makeDate],
  ['at_time_zone', renameTo('at_time_zone_or_back')],
  ['age', ageToCommon],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['day_of_week', ([date]) => date && weekdayFromSunday(date)],
  ['weekday', ([date]) => date && weekdayFromSunday(date)],
  ['isodow', ([date]) => date && isoWeekday(date)],
  ['week', renameTo('week_of_year', 1)],
  // Its weeks have seven days, whichever they begin on.
  ['date_diff', ([unit, early, late]) => unitBoundaries(unit, early, late, 'week of seven days')],
  ['datediff', ([unit, early, late]) => unitBoundaries(unit, early, late, 'week of seven days')],
  ['datesub', ([unit, early, late]) => wholeUnits(unit, early, late, true)],
  ['strptime', ([value, format]) => parseTime(value, format, 'strftime', 'moment')],
  ['strftime', ([one, other]) => formattedEitherWay(one, other)],
  ['dayname', ([date]) => date && apply('format_time', textLiteral('%A'), date)],
  ['monthname', ([date]) => date && apply('format_time', textLiteral('%B'), date)],
  ['to_timestamp', renameTo('time_from_epoch', 1)],
  ['list_sort', renameTo('array_sort', 1)],
  ['array_length', renameTo('cardinality', 1)],
  ['len', renameTo('length', 1)],
  ['concat', concatIgnoringNulls],
  // Of nothing but NULLs it is NULL here, and 0 elsewhere.
  ['count_if', renameTo('sum_of_truths', 1)],
  ['regexp_matches', (args) => regexpMatches(args)],
  // `x ~ 'a'`, which asks for the whole text here.
  ['regexp_like', regexpFullMatch],
  ['regexp_full_match', regexpFullMatch],
  ['str_split', renameTo('string_split', 2)],
  ['string_split', renameTo('string_split', 2)],
  ['str_split_regex', renameTo('string_split_regex', 2)],
  ['dayofmonth', renameTo('day', 1)],
  ['list_value', (args) => apply('array', ...args)],
  ['xor', renameTo('bitwise_xor', 2)],
  ['format', renameTo('format_places')],
  ['log', ([value, base]) => (value !== undefined && base === undefined ? apply('log10', value) : undefined)],
  ['string_agg', (args) => stringAgg(args, ',')],
  ['group_concat', (args) => stringAgg(args, ',')],
  ['list_agg', (args) => stringAgg(args, ',')],
  ['within_group', (args) => withinGroup(args) ?? percentileToCommon(args)],
  ['md5', hashText('md5')],
  ['sha1', hashText('sha1')],
  ['sha256', hashText('sha256')],
  ['hex', renameTo('upper_hex', 1)],
  ['encode', renameTo('to_utf8', 1)],
  ['list_contains', renameTo('array_contains', 2)],
  ['list_has', renameTo('array_contains', 2)],
  ['unhex', unhex],
  ['from_hex', unhex],
  ['json_extract', (args) => jsonExtract('json_extract', args)],
  ['json_extract_scalar', (args) => jsonExtract('json_extract_scalar', args)],
  ['json_extract_string', ([value, path]) => scalarAt(value, path)],
  ['map_func', (args) => structOf(args)],
])

/** `json_extract_string(x, '$.a')` is `x ->> '$.a'`. */
function scalarAt(value: Expression | undefined, path: Expression | undefined): Expression | undefined {
  return value && path && jsonExtract('json_extract_scalar', [value, apply('field:path', path)])
}

/** `strftime` takes its arguments in both orders. */
function formattedEitherWay(
  one: Expression | undefined,
  other: Expression | undefined,
): Expression | undefined {
  return textLiteralValue(one)?.includes('%') === true
    ? formatTime(other, one, 'strftime')
    : formatTime(one, other, 'strftime')
}

/** `contains(x, 'due')` is `x LIKE '%due%'`; of a list, which LIKE refuses, it is not asked in the same query. */
function containsToLike(value: Expression | undefined, part: Expression | undefined): Expression | undefined {
  const written = textLiteralValue(part)
  return value === undefined || written === undefined || /[%_\\]/u.test(written)
    ? undefined
    : apply('like', value, textLiteral(`%${written}%`))
}

/** `{'a': 1}` is a struct; its names are literals. */
function structOf(args: readonly Expression[]): Expression | undefined {
  const parts = new Map(args.flatMap((arg) => (arg.kind === 'apply' ? [[arg.op, arg.args] as const] : [])))
  const [names, values] = [parts.get('field:keys'), parts.get('field:values')]
  if (!parts.has('field:curly_brace_syntax') || names?.length !== values?.length || args.length !== 3)
    return undefined
  const fields = names?.map((name, at) => apply('named', name, values?.[at] ?? name))
  const areTexts = names?.every((name) => name.kind === 'literal' && name.type === 'text')
  return fields === undefined || areTexts !== true ? undefined : apply('struct', ...fields)
}

/** `regexp_matches(x, 'a', 'i')` takes no notice of case. */
function regexpMatches([value, pattern, options, ...rest]: readonly Expression[]): Expression | undefined {
  if (value === undefined || pattern === undefined || rest.length > 0) return undefined
  if (options === undefined) return apply('regexp_like', value, pattern)
  return textLiteralValue(options) === 'i' ? apply('regexp_i_like', value, pattern) : undefined
}

function regexpFullMatch(args: readonly Expression[]): Expression | undefined {
  const [value, second] = args
  const pattern = labelledPart(args, 'pattern') ?? second
  return value === undefined || pattern === undefined || args.length !== 2
    ? undefined
    : apply('regexp_like_whole', value, pattern)
}

/** `unnest(generate_series(1, 5))` has a row for each number. */
function unnestedSeries(list: Expression | undefined): Expression | undefined {
  return list?.kind === 'apply' && list.op === 'generate_series' ? list : undefined
}
