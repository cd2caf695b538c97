import { apply, type Expression, word } from '../shape/query-shape.js'
import { median, percentile } from './aggregates.js'
import { shiftedRight } from './bits.js'
import { fromOne } from './elements.js'
import { sided, spanOf } from './everywhere.js'
import { extracted } from './extract.js'
import { hashText } from './hashes.js'
import { jsonAt, jsonAtKeys } from './json-paths.js'
import { sliceInBrackets } from './slices.js'
import { textsJoined, withinGroup } from './string-aggregates.js'
import {
  ageOf,
  dayOf,
  type FunctionTable,
  joined,
  named,
  number,
  partOf,
  positionOf,
  text,
  textOf,
  unitBoundaries,
} from './table.js'
import {
  dayFromParts,
  decoded,
  firstMatchOrGroup,
  replacedGlobally,
  replacedMatches,
  splitPart,
  startsWith,
} from './texts.js'
import { formatted, parsed } from './time-formats.js'

export const postgres: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_given', ...args)],
  ['least', (args) => apply('least_given', ...args)],
  ['split_part', splitPart],
  ['bitwise_right_shift', shiftedRight],
  ['array_slice', sliceInBrackets],
  ['ascii', named('code_point', 1)],
  ['substring', ([value, pattern, ...rest]) => matchOf(value, pattern, rest)],
  ['starts_with', startsWith],
  ['subscript', fromOne],
  ['regexp_replace', replacedGlobally],
  ['make_date', dayFromParts],
  ['div', named('int_div', 2)],
  ['at_time_zone', named('at_time_zone_or_back')],
  ['age', ageOf],
  ['date_part', ([part, date]) => partOfDate(part, date)],
  ['btrim', named('trim', 1, 2)],
  ['trim', (args) => trimmedName(args)],
  ['rtrim', (args) => trimmedName(args)],
  ['to_char', ([value, format]) => formatted(value, format, 'toChar')],
  ['to_date', ([value, format]) => parsed(value, format, 'toChar', 'date')],
  ['to_timestamp', (args) => timeOf(args)],
  ['array_length', ([list, dimension]) => cardinality(list, dimension)],
  ['~', named('regexp_like', 2)],
  ['log', ([value, base]) => (value !== undefined && base === undefined ? apply('log10', value) : undefined)],
  ['concat', named('concat_given')],
  ['string_agg', (args) => textsJoined(args, '')],
  ['list_agg', (args) => textsJoined(args, '')],
  ['within_group', (args) => withinGroup(args) ?? percentile(args)],
  ['md5', hashText('md5')],
  ['json_extract', (args) => jsonAt('json_extract', args)],
  ['json_extract_scalar', (args) => jsonAt('json_extract_scalar', args)],
  ['json_extract_path', (args) => jsonAtKeys('json_extract', args)],
  ['json_extract_path_text', (args) => jsonAtKeys('json_extract_scalar', args)],
  ['generate_series', (args) => seriesBy(args)],
  ['cast', ([value, type]) => epochMoment(value, type)],
])

export const redshift: FunctionTable = new Map([
  ...postgres,
  ['median', median],
  // Its arrays begin at 0, and it replaces all.
  ['subscript', () => undefined],
  ['array_slice', () => undefined],
  ['regexp_replace', replacedMatches],
  ['decode', decoded],
  ['concat', joined],
  ['len', named('length', 1)],
  ['charindex', ([part, value]) => positionOf(value, part)],
  ['datediff', ([unit, early, late]) => unitBoundaries(unit, early, late, 'week from sunday')],
])

/** `substring(x FROM 'pattern')`. */
function matchOf(
  value: Expression | undefined,
  pattern: Expression | undefined,
  rest: readonly Expression[],
): Expression | undefined {
  return value === undefined || pattern === undefined || textOf(pattern) === undefined || rest.length > 0
    ? undefined
    : firstMatchOrGroup([value, pattern])
}

/** `to_timestamp(x)` of seconds since 1970, `to_timestamp(x, format)` of a text. */
function timeOf([value, format]: readonly Expression[]): Expression | undefined {
  if (value === undefined) return undefined
  if (format === undefined) return apply('time_from_epoch', value)
  const moment = parsed(value, format, 'toChar', 'moment')
  return moment && apply('cast', moment, word('timestamptz'))
}

/** The first of no dimensions, which an empty array has, has no length. */
function cardinality(
  list: Expression | undefined,
  dimension: Expression | undefined,
): Expression | undefined {
  return list !== undefined && dimension?.kind === 'literal' && dimension.value === '1'
    ? apply('nullif', apply('cardinality', list), number('0'))
    : undefined
}

/** `trim(to_char(d, 'Day'))` is the name without the spaces that make all names of one length. */
function trimmedName(args: readonly Expression[]): Expression | undefined {
  const [padded] = args
  const [value, format] = padded?.kind === 'apply' && /^to_char\b/u.test(padded.op) ? padded.args : []
  const name = textOf(format)
  const isOfSpaces = partOf(args, 'characters') === undefined
  const isTrimmed = args.length === 1 || (isOfSpaces && /^r?trim$/u.test(nameOf(sided(args, 'postgres'))))
  return value !== undefined && isTrimmed && (name === 'Day' || name === 'Month')
    ? formatted(value, text(`FM${name}`), 'toChar')
    : undefined
}

function nameOf(call: Expression | undefined): string {
  return call?.kind === 'apply' ? call.op : ''
}

function partOfDate(part: Expression | undefined, date: Expression | undefined): Expression | undefined {
  const name = textOf(part)
  return name === undefined || date === undefined
    ? undefined
    : extracted([date, apply('field:field', word(name))], 'postgres')
}

/** A step that is written as a text with a unit is an interval. */
function seriesBy([first, last, step]: readonly Expression[]): Expression | undefined {
  const span = step === undefined || textOf(step) === undefined ? undefined : spanOf([step])
  return first === undefined || last === undefined || span === undefined
    ? undefined
    : apply('generate_series', first, last, span)
}

/** The text 'epoch' is a moment's name. */
function epochMoment(value: Expression | undefined, type: Expression | undefined): Expression | undefined {
  if (textOf(value) !== 'epoch' || type?.kind !== 'literal') return undefined
  return type.value === 'timestamp'
    ? apply('cast', text('1970-01-01 00:00:00'), type)
    : type.value === 'date'
      ? dayOf(text('1970-01-01'))
      : undefined
}
