import { textLiteralValue } from '../functions/function-table.js'
import type { Expression } from '../shape/query-shape.js'

/** The kind of a value, as far as it decides how it is rounded, divided and written as a text; `open` where it is not known. */
export type ExactKind = 'whole' | 'decimal' | 'float' | 'text' | 'day' | 'moment' | 'truth' | 'open'

type Column = Expression & { kind: 'column' }

/** The kind that a type holds, by the name that dialects share. */
export function kindOfType(type: string): ExactKind {
  if (/^(?:big|small|tiny|medium)?int(?:eger)?\b|^int\d|^(?:big|small)?serial/u.test(type)) return 'whole'
  if (/^(?:numeric|decimal|number)/u.test(type)) return 'decimal'
  if (/^(?:real|float|double)/u.test(type)) return 'float'
  if (/char|text|string|clob/u.test(type)) return 'text'
  if (type === 'date') return 'day'
  if (/^(?:timestamp|datetime)/u.test(type)) return 'moment'
  return /^bool/u.test(type) ? 'truth' : 'open'
}

const wholeCalls: ReadonlySet<string> = new Set([
  ...['count', 'length', 'octet_length', 'str_position', 'cardinality', 'row_number', 'rank', 'dense_rank'],
  ...['days_between', 'whole_units', 'unit_boundaries', 'year', 'quarter', 'month', 'day', 'hour', 'minute'],
  ...['isodow', 'day_of_year', 'week_of_year', 'ntile', 'int_div', 'sign'],
])
const textCalls: ReadonlySet<string> = new Set([
  ...['lower', 'upper', 'substring', 'replace', 'format_time', 'trim', 'ltrim', 'rtrim', '||', 'string_agg'],
])
const truthCalls: ReadonlySet<string> = new Set([
  ...['=', '<>', '<', '<=', '>', '>=', 'null_safe_eq', 'and', 'or', 'not', 'like', 'i_like', 'is_null', 'in'],
  ...['in_list', 'between', 'exists', 'starts_with', 'ends_with', 'regexp_like'],
])
/** Functions whose result is of the kind of their arguments. */
const passing: ReadonlySet<string> = new Set([
  ...['sum', 'min', 'max', 'abs', 'neg', 'coalesce', 'nullif', '+', '-', '*', '%', 'over', 'distinct'],
  ...['first_value', 'last_value', 'lag', 'lead', 'any_value', 'greatest_given', 'least_given'],
])

/** The parts that decide of which kind a value is: columns, and calls of which no more is known. */
export function decidingParts(value: Expression): readonly Expression[] {
  if (value.kind !== 'apply') return [value]
  if (passing.has(value.op)) {
    const given = value.args.filter((arg) => !(arg.kind === 'apply' && arg.op.startsWith('field:')))
    return given.flatMap(decidingParts)
  }
  if (value.op !== 'case') return [value]
  return value.args.flatMap((part) => {
    const result = part.kind === 'apply' && /^(?:when|else)$/u.test(part.op) ? part.args.at(-1) : undefined
    return result === undefined ? [] : decidingParts(result)
  })
}

/** The kind of a part that `decidingParts` names. */
export function kindOfPart(part: Expression, kindOfColumn: (column: Column) => ExactKind): ExactKind {
  if (part.kind === 'column') return kindOfColumn(part)
  if (part.kind === 'literal') {
    if (part.type === 'number')
      return /e/iu.test(part.value) ? 'float' : part.value.includes('.') ? 'decimal' : 'whole'
    return part.type === 'text' ? 'text' : part.type === 'date' ? 'day' : 'open'
  }
  if (part.kind !== 'apply') return 'open'
  const [, type] = part.args
  if (part.op === 'cast' && type?.kind === 'literal') return kindOfType(type.value)
  if (wholeCalls.has(part.op) || isDigits(part)) return 'whole'
  if (textCalls.has(part.op)) return 'text'
  if (truthCalls.has(part.op)) return 'truth'
  return part.op === 'current_date' ? 'day' : part.op === 'current_timestamp' ? 'moment' : 'open'
}

/** `strftime('%w', d)` is a text of digits. */
function isDigits({ op, args }: Expression & { kind: 'apply' }): boolean {
  return op === 'format_time' && /^%[dmYHMSjw]$/u.test(textLiteralValue(args[0]) ?? '')
}
