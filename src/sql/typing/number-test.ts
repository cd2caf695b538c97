import type { Assumptions } from '../relational/assumptions.js'
import type { Expression, QueryShape } from '../shape/query-shape.js'
import type { ColumnKinds } from './infer-column-kinds.js'
import { isOnly, numbers } from './kinds.js'
import { type Sources, sourcesIn } from './query-sources.js'
import { kindsOfValue } from './value-kinds.js'

const calculated: ReadonlySet<string> = new Set([
  ...[
    'sum',
    'avg',
    'count',
    'fdiv',
    '/',
    '*',
    '%',
    'int_div',
    'abs',
    'round',
    'floor',
    'ceil',
    'power',
    'sqrt',
  ],
  ...['year', 'quarter', 'month', 'day', 'hour', 'minute', 'isodow', 'days_between', 'whole_units', 'length'],
])

/** Operations whose result is a number where their arguments are. */
const choosing: ReadonlySet<string> = new Set(['+', '-', 'neg', 'min', 'max', 'coalesce', 'nullif'])

/**
 * Returns a test whether values of the query are numbers: by the operation that computes them, by the kind of their column,
 * or by an assumption about a column.
 */
export function createNumberTest(
  query: QueryShape,
  columns: ColumnKinds | undefined,
  assumptions: Assumptions,
): (value: Expression) => boolean {
  let sources: Sources | undefined
  const isNumber = (value: Expression): boolean => {
    if (value.kind === 'literal') return value.type === 'number'
    if (value.kind === 'column') {
      sources ??= sourcesIn(query)
      const output = sources.outputOf(value)
      if (output !== undefined) return isNumber(output)
      const kinds = columns === undefined ? 0 : kindsOfValue(value, columns, sources)
      if (isOnly(kinds, numbers)) return true
      const table = value.source === undefined ? undefined : sources.tables.get(value.source)
      const name = table === undefined ? value.name : `${table}.${value.name}`
      return assumptions.assume('types', `${name} holds numbers`)
    }
    if (value.kind !== 'apply') return false
    if (calculated.has(value.op)) return true
    if (value.op === 'case') return value.args.every(hasNumber)
    return choosing.has(value.op) && value.args.every((arg) => !isLabelled(arg) && isNumber(arg))
  }
  const hasNumber = (part: Expression): boolean => {
    const result = part.kind === 'apply' ? part.args.at(-1) : undefined
    const isResult = part.kind === 'apply' && (part.op === 'when' || part.op === 'else')
    return isResult && result !== undefined && isNumber(result)
  }
  return isNumber
}

function isLabelled(arg: Expression): boolean {
  return arg.kind === 'apply' && arg.op.startsWith('field:')
}
