import { apply } from '../shape/query-shape.js'
import { type FunctionTable, named } from './table.js'

export const trino: FunctionTable = new Map([
  ['day_of_week', named('isodow', 1)],
  ['dow', named('isodow', 1)],
  ['date_parse', named('parse_time', 2)],
  ['from_unixtime', named('time_from_epoch', 1)],
  ['to_unixtime', named('epoch', 1)],
  ['array_join', named('array_to_string', 2)],
  ['split', named('string_split', 2)],
  ['regexp_split', named('string_split_regex', 2)],
  ['bitwise_xor', named('bitwise_xor', 2)],
  ['from_utf8', named('decode', 1)],
  ['chr', named('chr', 1)],
  ['sequence', (args) => apply('series', ...args)],
  [
    'unnest',
    (args) =>
      args.length === 1 && args[0]?.kind === 'apply' && args[0].op === 'series'
        ? apply('generate_series', ...args[0].args)
        : undefined,
  ],
])
