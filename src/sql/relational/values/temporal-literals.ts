import { apply, type Expression, word } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { declaredType, type Facts } from '../table-facts.js'

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<='])

const day = /^\d{4}-\d{2}-\d{2}$/u
const moment = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$/u

/**
 * A text that is compared with a date or a timestamp is one: `CAST(x AS DATE) < '2024-01-01'`. Only texts that are a day
 * or a moment in full; in SQLite, where dates are texts and columns hold anything, only what `date(x)` gives, and days
 * beside a column that holds days in the other query's database.
 */
export function normalizeTemporalLiterals(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply' || !comparisons.has(expression.op)) return expression
  const type = expression.args.map((arg) => timeType(arg, facts)).find((found) => found !== undefined)
  if (type === undefined || (facts.dialect === 'sqlite' && type !== 'date')) return expression
  const args = mapAll(expression.args, (arg) => typed(arg, type))
  return args === expression.args ? expression : { ...expression, args }
}

function typed(value: Expression, type: string): Expression {
  if (value.kind !== 'literal' || value.type !== 'text') return value
  if (type === 'date') return day.test(value.value) ? { ...value, type: 'date' } : value
  return moment.test(value.value) ? apply('cast', value, word(type)) : value
}

/** The type of a value that certainly is a date or a timestamp. */
function timeType(value: Expression, facts: Facts): string | undefined {
  if (
    value.kind === 'column' &&
    (facts.dialect !== 'sqlite' || facts.assumptions.isCrossDialect) &&
    value.output === undefined
  )
    return plainType(declaredType(value, facts))
  if (value.kind !== 'apply') return undefined
  const [inner, type] = value.args
  if (value.op === 'cast' && type?.kind === 'literal' && inner?.kind !== 'literal')
    return plainType(type.value)
  return value.op === 'current_date' ? 'date' : undefined
}

function plainType(type: string | undefined): string | undefined {
  return type !== undefined && /^(?:date|datetime|timestamp)$/u.test(type) ? type : undefined
}
