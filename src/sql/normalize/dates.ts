import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression } from '../shape/query-shape.js'

/** Dialects in which `date(x)` is `CAST(x AS date)`; in SQLite it makes a text. */
const dateIsCast: ReadonlySet<Dialect> = new Set([
  'trino',
  'presto',
  'duckdb',
  'bigquery',
  'mysql',
  'spark',
  'postgres',
])

const parts: ReadonlySet<string> = new Set(['year', 'quarter', 'month', 'day', 'hour', 'minute'])

const units: ReadonlySet<string> = new Set([...parts, 'week', 'second', 'decade', 'century'])

/** One form for dates written as a literal, a cast or a function, for parts of a date, and for date_trunc. */
export function normalizeDates(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply') return expression
  const [first, second] = expression.args
  switch (expression.op) {
    case 'date':
      if (first === undefined || second !== undefined || !dateIsCast.has(dialect)) return expression
      return castToDate(first)
    case 'cast':
      return first !== undefined && second?.kind === 'literal' && second.value === 'date'
        ? castToDate(first)
        : expression
    case 'extract':
      return datePart(second?.kind === 'apply' ? second.args[0] : undefined, first) ?? expression
    case 'date_part':
    case 'datepart':
      return datePart(first, second) ?? expression
    case 'date_trunc':
      return truncation(expression, dialect)
    default:
      return expression
  }
}

/** Only a text that is a day: what other texts mean as a date differs by dialect. */
function castToDate(value: Expression): Expression {
  const isDay = value.kind === 'literal' && value.type === 'text' && /^\d{4}-\d{2}-\d{2}$/u.test(value.value)
  return isDay ? { kind: 'literal', type: 'date', value: value.value } : apply('cast', value, dateType)
}

const dateType: Expression = { kind: 'literal', type: 'word', value: 'date' }

function datePart(part: Expression | undefined, date: Expression | undefined): Expression | undefined {
  const name = unitName(part)
  return name !== undefined && parts.has(name) && date !== undefined ? apply(name, date) : undefined
}

/** BigQuery puts the unit last. A unit is a text, a word or, by accident of the parser, a column. */
function truncation(expression: Expression & { kind: 'apply' }, dialect: Dialect): Expression {
  const [first, second, third] = expression.args
  if (first === undefined || second === undefined || third !== undefined) return expression
  const isLast = dialect === 'bigquery' && !(first.kind === 'literal' && units.has(first.value))
  const [unit, date] = isLast ? [second, first] : [first, second]
  const name = unitName(unit)
  if (name === undefined || !units.has(name)) return expression
  return apply('date_trunc', { kind: 'literal', type: 'text', value: name }, date)
}

function unitName(unit: Expression | undefined): string | undefined {
  if (unit?.kind === 'literal') return unit.value.toLowerCase()
  return unit?.kind === 'column' ? unit.name : undefined
}
