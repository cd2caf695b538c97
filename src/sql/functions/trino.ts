import { apply, type Expression, word } from '../shape/query-shape.js'
import { type FunctionTable, named, unitOf } from './table.js'
import { fromMysqlFormat, timeCall } from './time-formats.js'

export const trino: FunctionTable = new Map([
  ['day_of_week', named('isodow', 1)],
  ['dow', named('isodow', 1)],
  ['date_parse', ([value, format]) => timeCall('parse_time', value, format, fromMysqlFormat)],
  ['date_format', ([value, format]) => timeCall('format_time', value, format, fromMysqlFormat)],
  ['from_unixtime', named('time_from_epoch', 1)],
  ['to_unixtime', named('epoch', 1)],
  ['array_join', named('array_to_string', 2)],
  ['split', named('string_split', 2)],
  ['regexp_split', named('string_split_regex', 2)],
  ['bitwise_xor', named('bitwise_xor', 2)],
  ['from_utf8', named('decode', 1)],
  ['date_diff', (args) => dateDifference(args)],
  ['from_iso8601_timestamp', (args) => zoned(args)],
  ['from_iso8601_timestamp_nanos', (args) => zoned(args)],
  ['sequence', (args) => apply('series', ...args)],
  [
    'unnest',
    (args) =>
      args.length === 1 && args[0]?.kind === 'apply' && args[0].op === 'series'
        ? apply('generate_series', ...args[0].args)
        : undefined,
  ],
])

function dateDifference([unit, early, late]: readonly Expression[]): Expression | undefined {
  const name = unitOf(unit)
  if (name === undefined || early === undefined || late === undefined) return undefined
  return name === 'day' ? apply('days_between', late, early) : apply('date_diff', word(name), early, late)
}

function zoned(args: readonly Expression[]): Expression | undefined {
  return args.length === 1 ? apply('cast', ...args, word('timestamptz')) : undefined
}
