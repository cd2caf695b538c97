import { apply, type Expression, word } from '../shape/query-shape.js'
import { type FunctionTable, named, unitOf } from './table.js'
import { timeCall } from './time-formats.js'

export const duckdb: FunctionTable = new Map([
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['date_diff', (args) => dateDifference(args)],
  ['strptime', ([value, format]) => timeCall('parse_time', value, format)],
  ['strftime', ([value, format]) => timeCall('format_time', value, format)],
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

function dateDifference([unit, early, late]: readonly Expression[]): Expression | undefined {
  const name = unitOf(unit)
  if (name === undefined || early === undefined || late === undefined) return undefined
  return name === 'day' ? apply('days_between', late, early) : apply('date_diff', word(name), early, late)
}
