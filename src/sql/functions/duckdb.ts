import { apply } from '../shape/query-shape.js'
import { type FunctionTable, named } from './table.js'

export const duckdb: FunctionTable = new Map([
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['strptime', named('parse_time', 2)],
  ['to_timestamp', named('time_from_epoch', 1)],
  ['list_sort', named('array_sort', 1)],
  ['array_length', named('cardinality', 1)],
  ['len', named('length', 1)],
  ['regexp_matches', named('regexp_like', 2)],
  ['str_split', named('string_split', 2)],
  ['string_split', named('string_split', 2)],
  ['str_split_regex', named('string_split_regex', 2)],
  ['dayofmonth', named('day', 1)],
  ['list_value', (args) => apply('array', ...args)],
  ['xor', named('bitwise_xor', 2)],
])
