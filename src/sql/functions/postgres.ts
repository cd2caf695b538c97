import { apply, type Expression, word } from '../shape/query-shape.js'
import { medianToPercentile, percentileToCommon } from './aggregates.js'
import { normalizeTrim, parseInterval } from './all-dialects.js'
import { subscriptFromOne } from './array-elements.js'
import { bracketSlice } from './array-slices.js'
import { arithmeticShiftRight } from './bit-operations.js'
import { extractToCommon } from './extract.js'
import {
  ageToCommon,
  castToDay,
  concatAll,
  type FunctionTable,
  labelledPart,
  numberLiteral,
  positionOf,
  renameTo,
  textLiteral,
  textLiteralValue,
  unitBoundaries,
} from './function-table.js'
import { hashText } from './hashes.js'
import { jsonExtract, jsonExtractKeys } from './json-paths.js'
import { stringAgg, withinGroup } from './string-aggregates.js'
import {
  decodeToCase,
  firstMatchOrGroup,
  makeDate,
  regexpReplaceAll,
  regexpReplaceGlobal,
  splitPart,
  startsWith,
} from './string-functions.js'
import { formatTime, parseTime } from './time-formats.js'

export const postgres: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_given', ...args)],
  ['least', (args) => apply('least_given', ...args)],
  ['split_part', splitPart],
  ['bitwise_right_shift', arithmeticShiftRight],
  ['array_slice', bracketSlice],
  ['ascii', renameTo('code_point', 1)],
  ['substring', ([value, pattern, ...rest]) => matchOf(value, pattern, rest)],
  ['starts_with', startsWith],
  ['subscript', subscriptFromOne],
  ['regexp_replace', regexpReplaceGlobal],
  ['make_date', makeDate],
  ['div', renameTo('int_div', 2)],
  ['at_time_zone', renameTo('at_time_zone_or_back')],
  ['age', ageToCommon],
  ['date_part', ([part, date]) => partOfDate(part, date)],
  ['btrim', renameTo('trim', 1, 2)],
  ['trim', (args) => trimmedName(args)],
  ['rtrim', (args) => trimmedName(args)],
  ['to_char', ([value, format]) => formatTime(value, format, 'toChar')],
  ['to_date', ([value, format]) => parseTime(value, format, 'toChar', 'date')],
  ['to_timestamp', (args) => timeOf(args)],
  ['array_length', ([list, dimension]) => cardinality(list, dimension)],
  ['~', renameTo('regexp_like', 2)],
  ['log', ([value, base]) => (value !== undefined && base === undefined ? apply('log10', value) : undefined)],
  ['concat', renameTo('concat_given')],
  ['string_agg', (args) => stringAgg(args, '')],
  ['list_agg', (args) => stringAgg(args, '')],
  ['within_group', (args) => withinGroup(args) ?? percentileToCommon(args)],
  ['md5', hashText('md5')],
  ['json_extract', (args) => jsonExtract('json_extract', args)],
  ['json_extract_scalar', (args) => jsonExtract('json_extract_scalar', args)],
  ['json_extract_path', (args) => jsonExtractKeys('json_extract', args)],
  ['json_extract_path_text', (args) => jsonExtractKeys('json_extract_scalar', args)],
  ['generate_series', (args) => seriesBy(args)],
  ['cast', ([value, type]) => epochMoment(value, type)],
])

export const redshift: FunctionTable = new Map([
  ...postgres,
  ['median', medianToPercentile],
  // Its arrays begin at 0, and it replaces all.
  ['subscript', () => undefined],
  ['array_slice', () => undefined],
  ['regexp_replace', regexpReplaceAll],
  ['decode', decodeToCase],
  ['concat', concatAll],
  ['len', renameTo('length', 1)],
  ['charindex', ([part, value]) => positionOf(value, part)],
  ['datediff', ([unit, early, late]) => unitBoundaries(unit, early, late, 'week from sunday')],
])

/** `substring(x FROM 'pattern')`. */
function matchOf(
  value: Expression | undefined,
  pattern: Expression | undefined,
  rest: readonly Expression[],
): Expression | undefined {
  return value === undefined ||
    pattern === undefined ||
    textLiteralValue(pattern) === undefined ||
    rest.length > 0
    ? undefined
    : firstMatchOrGroup([value, pattern])
}

/** `to_timestamp(x)` of seconds since 1970, `to_timestamp(x, format)` of a text. */
function timeOf([value, format]: readonly Expression[]): Expression | undefined {
  if (value === undefined) return undefined
  if (format === undefined) return apply('time_from_epoch', value)
  const moment = parseTime(value, format, 'toChar', 'moment')
  return moment && apply('cast', moment, word('timestamptz'))
}

/** The first of no dimensions, which an empty array has, has no length. */
function cardinality(
  list: Expression | undefined,
  dimension: Expression | undefined,
): Expression | undefined {
  return list !== undefined && dimension?.kind === 'literal' && dimension.value === '1'
    ? apply('nullif', apply('cardinality', list), numberLiteral('0'))
    : undefined
}

/** `trim(to_char(d, 'Day'))` is the name without the spaces that make all names of one length. */
function trimmedName(args: readonly Expression[]): Expression | undefined {
  const [padded] = args
  const [value, format] = padded?.kind === 'apply' && /^to_char\b/u.test(padded.op) ? padded.args : []
  const name = textLiteralValue(format)
  const isOfSpaces = labelledPart(args, 'characters') === undefined
  const isTrimmed =
    args.length === 1 || (isOfSpaces && /^r?trim$/u.test(nameOf(normalizeTrim(args, 'postgres'))))
  return value !== undefined && isTrimmed && (name === 'Day' || name === 'Month')
    ? formatTime(value, textLiteral(`FM${name}`), 'toChar')
    : undefined
}

function nameOf(call: Expression | undefined): string {
  return call?.kind === 'apply' ? call.op : ''
}

function partOfDate(part: Expression | undefined, date: Expression | undefined): Expression | undefined {
  const name = textLiteralValue(part)
  return name === undefined || date === undefined
    ? undefined
    : extractToCommon([date, apply('field:field', word(name))], 'postgres')
}

/** A step that is written as a text with a unit is an interval. */
function seriesBy([first, last, step]: readonly Expression[]): Expression | undefined {
  const span = step === undefined || textLiteralValue(step) === undefined ? undefined : parseInterval([step])
  return first === undefined || last === undefined || span === undefined
    ? undefined
    : apply('generate_series', first, last, span)
}

/** The text 'epoch' is a moment's name. */
function epochMoment(value: Expression | undefined, type: Expression | undefined): Expression | undefined {
  if (textLiteralValue(value) !== 'epoch' || type?.kind !== 'literal') return undefined
  return type.value === 'timestamp'
    ? apply('cast', textLiteral('1970-01-01 00:00:00'), type)
    : type.value === 'date'
      ? castToDay(textLiteral('1970-01-01'))
      : undefined
}
