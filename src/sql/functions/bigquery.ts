import { apply, type Expression } from '../shape/query-shape.js'
import { type FunctionTable, named, textOf, truncated, unitOf } from './table.js'

export const bigquery: FunctionTable = new Map([
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['date_diff', (args) => daysBetween(args)],
  ['timestamp_trunc', (args) => truncation(args)],
  ['datetime_trunc', (args) => truncation(args)],
  ['safe_divide', (args) => (args.length === 2 ? apply('safe_divide', ...args) : undefined)],
  ['format_date', (args) => formatted(args)],
  ['format_timestamp', (args) => formatted(args)],
  ['regexp_contains', named('regexp_like', 2)],
  ['array_length', named('cardinality', 1)],
])

function daysBetween([late, early, unit]: readonly Expression[]): Expression | undefined {
  if (late === undefined || early === undefined || unitOf(unit) !== 'day') return undefined
  return apply('days_between', late, early)
}

function truncation(args: readonly Expression[]): Expression | undefined {
  const [value, unit] = args
  const name = unitOf(unit)
  return value === undefined || name === undefined || args.length !== 2 ? undefined : truncated(name, value)
}

function formatted([format, value]: readonly Expression[]): Expression | undefined {
  const text = textOf(format)
  if (value === undefined || text === undefined) return undefined
  if (text === '%Y-%m-%d') return truncated('day', value)
  return apply(
    'format_time',
    { kind: 'literal', type: 'text', value: text.replaceAll('%F', '%Y-%m-%d').replaceAll('%T', '%H:%M:%S') },
    value,
  )
}
