import { apply, type Expression } from '../shape/query-shape.js'
import { shiftedRightFromZero } from './bits.js'
import { bounded, risingSeries } from './elements.js'
import { hashBytes } from './hashes.js'
import { jsonAt } from './json-paths.js'
import { endOrAll } from './slices.js'
import { textsJoined } from './string-aggregates.js'
import {
  type FunctionTable,
  joined,
  named,
  namedStruct,
  number,
  positionOf,
  truncated,
  unitBoundaries,
  unitOf,
  wholeUnits,
} from './table.js'
import { dayFromParts, firstMatchOrGroup, replacedMatches, split } from './texts.js'
import { formatted, parsed } from './time-formats.js'

export const bigquery: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_of_all', ...args)],
  ['least', (args) => apply('least_of_all', ...args)],
  ['subscript', bounded],
  ['split', split],
  ['edit_distance', named('levenshtein', 2)],
  ['regexp_replace', replacedMatches],
  ['regexp_extract', firstMatchOrGroup],
  ['bitwise_right_shift', shiftedRightFromZero],
  ['byte_length', named('octet_length', 1)],
  ['parse_json', named('parse_json', 1)],
  ['substr', endOrAll],
  ['substring', endOrAll],
  ['generate_array', risingSeries],
  ['div', named('int_div', 2)],
  ['to_base64', named('base64', 1)],
  ['from_base64', named('unbase64', 1)],
  ['date', dayFromParts],
  ['struct', namedStruct],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['date_diff', ([late, early, unit]) => unitBoundaries(unit, early, late, 'week from sunday')],
  ['datetime_diff', ([late, early, unit]) => unitBoundaries(unit, early, late, 'week from sunday')],
  ['timestamp_diff', ([late, early, unit]) => wholeUnits(unit, early, late)],
  ['date_trunc', (args) => truncation(args)],
  ['timestamp_trunc', (args) => truncation(args)],
  ['datetime_trunc', (args) => truncation(args)],
  ['timestamp_add', (args) => moved('+', args)],
  ['timestamp_sub', (args) => moved('-', args)],
  ['datetime_add', (args) => moved('+', args)],
  ['datetime_sub', (args) => moved('-', args)],
  [
    'last_day',
    ([date, unit]) => (unit === undefined || unitOf(unit) === 'month' ? lastDay(date) : undefined),
  ],
  ['safe_divide', ([a, b]) => (a && b ? apply('fdiv', a, apply('nullif', b, number('0'))) : undefined)],
  ['format_date', ([format, value]) => formatted(value, format, 'strftime')],
  ['format_datetime', ([format, value]) => formatted(value, format, 'strftime')],
  [
    'format_timestamp',
    ([format, value, zone]) => (zone === undefined ? formatted(value, format, 'strftime') : undefined),
  ],
  ['parse_date', ([format, value]) => parsed(value, format, 'strftime', 'date')],
  ['parse_datetime', ([format, value]) => parsed(value, format, 'strftime', 'moment')],
  ['timestamp_seconds', named('utc_time_from_epoch', 1)],
  ['unix_seconds', named('whole_epoch', 1)],
  ['regexp_contains', named('regexp_like', 2)],
  ['array_length', named('cardinality', 1)],
  ['instr', (args) => (args.length === 2 ? positionOf(args[0], args[1]) : undefined)],
  ['concat', joined],
  ['string_agg', (args) => textsJoined(args, ',')],
  ['md5', hashBytes('md5')],
  ['sha1', hashBytes('sha1')],
  ['sha256', hashBytes('sha256')],
  ['sha512', hashBytes('sha512')],
  ['to_hex', named('lower_hex', 1)],
  ['json_extract', (args) => jsonAt('json_extract', args)],
  ['json_query', (args) => jsonAt('json_extract', args)],
  ['json_extract_scalar', (args) => jsonAt('json_extract_scalar', args)],
  ['json_value', (args) => jsonAt('json_extract_scalar', args)],
])

/** WEEK begins on Sunday; WEEK(MONDAY) and ISOWEEK are the weeks of other dialects. */
function truncation([value, unit, ...rest]: readonly Expression[]): Expression | undefined {
  if (value === undefined || unit === undefined || rest.length > 0) return undefined
  if (isMondayWeek(unit)) return truncated('week', value)
  const name = unitOf(unit)
  if (name === undefined) return undefined
  return truncated(name === 'week' ? 'week from sunday' : name, value)
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

function moved(op: '+' | '-', [value, span]: readonly Expression[]): Expression | undefined {
  const isSpan = span?.kind === 'apply' && span.op === 'interval'
  return value !== undefined && isSpan ? apply(op, value, span) : undefined
}

function lastDay(date: Expression | undefined): Expression | undefined {
  return date && apply('last_day', date)
}
