import { apply, type Expression, word } from '../shape/query-shape.js'
import { median, percentile } from './aggregates.js'
import { fromOne } from './elements.js'
import { spanOf } from './everywhere.js'
import { extracted } from './extract.js'
import { hashText } from './hashes.js'
import { jsonAt, jsonAtKeys } from './json-paths.js'
import { textsJoined, withinGroup } from './string-aggregates.js'
import {
  dayOf,
  type FunctionTable,
  joined,
  named,
  positionOf,
  text,
  textOf,
  unitBoundaries,
} from './table.js'
import { dayFrom, decoded, replacedGlobally, replacedMatches, splitPart, startsWith } from './texts.js'
import { formatted, parsed } from './time-formats.js'

export const postgres: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_given', ...args)],
  ['least', (args) => apply('least_given', ...args)],
  ['split_part', splitPart],
  ['starts_with', startsWith],
  ['subscript', fromOne],
  ['regexp_replace', replacedGlobally],
  ['make_date', dayFrom],
  ['div', named('int_div', 2)],
  ['at_time_zone', named('at_time_zone_or_back')],
  ['age', named('age_between', 2)],
  ['date_part', ([part, date]) => partOfDate(part, date)],
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
  ['regexp_replace', replacedMatches],
  ['decode', decoded],
  ['concat', joined],
  ['len', named('length', 1)],
  ['charindex', ([part, value]) => positionOf(value, part)],
  ['datediff', ([unit, early, late]) => unitBoundaries(unit, early, late)],
])

/** `to_timestamp(x)` of seconds since 1970, `to_timestamp(x, format)` of a text. */
function timeOf([value, format]: readonly Expression[]): Expression | undefined {
  if (value === undefined) return undefined
  if (format === undefined) return apply('time_from_epoch', value)
  const moment = parsed(value, format, 'toChar', 'moment')
  return moment && apply('cast', moment, word('timestamptz'))
}

function cardinality(
  list: Expression | undefined,
  dimension: Expression | undefined,
): Expression | undefined {
  return list !== undefined && dimension?.kind === 'literal' && dimension.value === '1'
    ? apply('cardinality', list)
    : undefined
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
