import type { Expression } from '../shape/query-shape.js'
import type { ColumnKinds } from './infer-column-kinds.js'
import { anyKind, dates, type Kinds, numbers } from './kinds.js'
import type { Sources } from './query-sources.js'

/** A day and a span of days or months give a day, as far as its value goes. */
export function isShiftedByDays(value: Expression & { kind: 'apply' }): boolean {
  const [, span] = value.args
  if ((value.op !== '+' && value.op !== '-') || span?.kind !== 'apply' || span.op !== 'interval') return false
  const [, unit] = span.args
  return unit?.kind === 'literal' && /^(?:day|week|month|quarter|year)$/u.test(unit.value)
}

/** Of the kind of what they are given; a sum of fractions is one. */
const passing: ReadonlySet<string> = new Set(['min', 'max', 'sum', 'avg', 'abs', 'nullif'])

/** Returns the kinds that the value can have. */
export function kindsOfValue(value: Expression, columns: ColumnKinds, sources: Sources): Kinds {
  const of = (part: Expression | undefined): Kinds =>
    part === undefined ? anyKind : kindsOfValue(part, columns, sources)
  if (value.kind === 'literal')
    return value.type === 'date' ? dates : value.type === 'number' ? numbers : anyKind
  if (value.kind === 'column') {
    const output = sources.outputOf(value)
    const table = value.source === undefined ? undefined : sources.tables.get(value.source)
    return output === undefined ? (columns.get(`${table}.${value.name}`) ?? anyKind) : of(output)
  }
  if (value.kind !== 'apply') return anyKind
  if (value.op === 'current_date') return dates
  if (isShiftedByDays(value) || passing.has(value.op)) return of(value.args[0])
  const [, type] = value.args
  return value.op === 'cast' && type?.kind === 'literal' && type.value === 'date' ? dates : anyKind
}
