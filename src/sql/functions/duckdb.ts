import { apply, type Expression, word } from '../shape/query-shape.js'
import { listed, median, percentile, quantile } from './aggregates.js'
import { shiftedRight } from './bits.js'
import { elementAt, fromOne } from './elements.js'
import { hashText, unhex } from './hashes.js'
import { jsonAt } from './json-paths.js'
import { endOrAll, sliceInBrackets, sliceToLast } from './slices.js'
import { textsJoined, withinGroup } from './string-aggregates.js'
import {
  ageOf,
  type FunctionTable,
  joinedGiven,
  named,
  partOf,
  text,
  textOf,
  today,
  unitBoundaries,
  wholeUnits,
} from './table.js'
import { dayFromParts, replacedGlobally, splitPart, startsWith } from './texts.js'
import { formatted, parsed } from './time-formats.js'
import { isoWeekday, weekdayFromSunday } from './weekdays.js'

export const duckdb: FunctionTable = new Map([
  ['bitwise_right_shift', shiftedRight],
  ['strlen', named('octet_length', 1)],
  ['isoyear', named('iso_year', 1)],
  ['flatten', named('flatten', 1)],
  ['list_slice', sliceToLast],
  ['array_slice', (args) => sliceToLast(args) ?? sliceInBrackets(args)],
  ['json', named('parse_json', 1)],
  ['ascii', named('code_point', 1)],
  ['string_to_array', named('string_split', 2)],
  ['substr', endOrAll],
  ['substring', endOrAll],
  ['today', (args) => (args.length === 0 ? today : undefined)],
  ['unnest', ([list, ...rest]) => (rest.length === 0 ? unnestedSeries(list) : undefined)],
  ['greatest', (args) => apply('greatest_given', ...args)],
  ['least', (args) => apply('least_given', ...args)],
  ['date_sub', (args) => (args.length === 3 ? wholeUnits(args[0], args[1], args[2], true) : undefined)],
  ['median', median],
  ['to_base64', named('base64', 1)],
  ['from_base64', named('unbase64', 1)],
  ['aggregate_function', (args) => quantile(args) ?? listed(args)],
  ['split_part', splitPart],
  ['suffix', named('ends_with', 2)],
  ['prefix', named('starts_with', 2)],
  ['starts_with', startsWith],
  ['subscript', fromOne],
  ['list_extract', elementAt],
  ['list_element', elementAt],
  ['array_extract', elementAt],
  ['count', (args) => (args.length === 0 ? apply('count', word('*')) : undefined)],
  ['mean', named('avg', 1)],
  ['contains', ([value, part]) => textWith(value, part)],
  ['similar_to', matchedWhole],
  ['list_transform', named('transform', 2)],
  ['list_apply', named('transform', 2)],
  ['array_transform', named('transform', 2)],
  ['list_filter', named('filter', 2)],
  ['array_filter', named('filter', 2)],
  ['regexp_replace', replacedGlobally],
  ['make_date', dayFromParts],
  ['at_time_zone', named('at_time_zone_or_back')],
  ['age', ageOf],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['day_of_week', ([date]) => date && weekdayFromSunday(date)],
  ['weekday', ([date]) => date && weekdayFromSunday(date)],
  ['isodow', ([date]) => date && isoWeekday(date)],
  ['week', named('week_of_year', 1)],
  // Its weeks have seven days, whichever they begin on.
  ['date_diff', ([unit, early, late]) => unitBoundaries(unit, early, late, 'week of seven days')],
  ['datediff', ([unit, early, late]) => unitBoundaries(unit, early, late, 'week of seven days')],
  ['datesub', ([unit, early, late]) => wholeUnits(unit, early, late, true)],
  ['strptime', ([value, format]) => parsed(value, format, 'strftime', 'moment')],
  ['strftime', ([one, other]) => formattedEitherWay(one, other)],
  ['dayname', ([date]) => date && apply('format_time', text('%A'), date)],
  ['monthname', ([date]) => date && apply('format_time', text('%B'), date)],
  ['to_timestamp', named('time_from_epoch', 1)],
  ['list_sort', named('array_sort', 1)],
  ['array_length', named('cardinality', 1)],
  ['len', named('length', 1)],
  ['concat', joinedGiven],
  // Of nothing but NULLs it is NULL here, and 0 elsewhere.
  ['count_if', named('sum_of_truths', 1)],
  ['regexp_matches', (args) => matched(args)],
  // `x ~ 'a'`, which asks for the whole text here.
  ['regexp_like', matchedWhole],
  ['regexp_full_match', matchedWhole],
  ['str_split', named('string_split', 2)],
  ['string_split', named('string_split', 2)],
  ['str_split_regex', named('string_split_regex', 2)],
  ['dayofmonth', named('day', 1)],
  ['list_value', (args) => apply('array', ...args)],
  ['xor', named('bitwise_xor', 2)],
  ['format', named('format_places')],
  ['log', ([value, base]) => (value !== undefined && base === undefined ? apply('log10', value) : undefined)],
  ['string_agg', (args) => textsJoined(args, ',')],
  ['group_concat', (args) => textsJoined(args, ',')],
  ['list_agg', (args) => textsJoined(args, ',')],
  ['within_group', (args) => withinGroup(args) ?? percentile(args)],
  ['md5', hashText('md5')],
  ['sha1', hashText('sha1')],
  ['sha256', hashText('sha256')],
  ['hex', named('upper_hex', 1)],
  ['encode', named('to_utf8', 1)],
  ['list_contains', named('array_contains', 2)],
  ['list_has', named('array_contains', 2)],
  ['unhex', unhex],
  ['from_hex', unhex],
  ['json_extract', (args) => jsonAt('json_extract', args)],
  ['json_extract_scalar', (args) => jsonAt('json_extract_scalar', args)],
  ['json_extract_string', ([value, path]) => scalarAt(value, path)],
  ['map_func', (args) => structOf(args)],
])

/** `json_extract_string(x, '$.a')` is `x ->> '$.a'`. */
function scalarAt(value: Expression | undefined, path: Expression | undefined): Expression | undefined {
  return value && path && jsonAt('json_extract_scalar', [value, apply('field:path', path)])
}

/** `strftime` takes its arguments in both orders. */
function formattedEitherWay(
  one: Expression | undefined,
  other: Expression | undefined,
): Expression | undefined {
  return textOf(one)?.includes('%') === true
    ? formatted(other, one, 'strftime')
    : formatted(one, other, 'strftime')
}

/** `contains(x, 'due')` is `x LIKE '%due%'`; of a list, which LIKE refuses, it is not asked in the same query. */
function textWith(value: Expression | undefined, part: Expression | undefined): Expression | undefined {
  const written = textOf(part)
  return value === undefined || written === undefined || /[%_\\]/u.test(written)
    ? undefined
    : apply('like', value, text(`%${written}%`))
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
function matched([value, pattern, options, ...rest]: readonly Expression[]): Expression | undefined {
  if (value === undefined || pattern === undefined || rest.length > 0) return undefined
  if (options === undefined) return apply('regexp_like', value, pattern)
  return textOf(options) === 'i' ? apply('regexp_i_like', value, pattern) : undefined
}

function matchedWhole(args: readonly Expression[]): Expression | undefined {
  const [value, second] = args
  const pattern = partOf(args, 'pattern') ?? second
  return value === undefined || pattern === undefined || args.length !== 2
    ? undefined
    : apply('regexp_like_whole', value, pattern)
}

/** `unnest(generate_series(1, 5))` has a row for each number. */
function unnestedSeries(list: Expression | undefined): Expression | undefined {
  return list?.kind === 'apply' && list.op === 'generate_series' ? list : undefined
}
