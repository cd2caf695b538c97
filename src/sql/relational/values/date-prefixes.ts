import { isNumberLiteral } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'
import { isStable } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { hasPlainYears, holdsTimes, isInOneZone, textsAsDates } from './temporal-kinds.js'

/** How many letters of a date in ISO 8601 are its year, its month and its day. */
const formats: ReadonlyMap<string, string> = new Map([
  ['4', '%Y'],
  ['7', '%Y-%m'],
  ['10', '%Y-%m-%d'],
])

/** The beginning of a date as a text, `substr(CAST(d AS varchar), 1, 7)`, as its year and month. */
export function normalizeDatePrefix(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply' || expression.op !== 'substring' || facts.assumptions.isCrossDialect)
    return expression
  const [text, start, length, ...rest] = expression.args
  const format =
    length?.kind === 'literal' && length.type === 'number' ? formats.get(length.value) : undefined
  if (text === undefined || format === undefined || !isNumberLiteral(start, '1') || rest.length > 0)
    return expression
  const [inner, type] = text.kind === 'apply' && text.op === 'cast' ? text.args : []
  const isText = type?.kind === 'literal' && /^(?:text|string|var_?char)$/u.test(type.value)
  const of = isText ? inner : textsAsDates.has(facts.dialect) ? text : undefined
  if (of === undefined || !isStable(of) || !holdsTimes(of, facts)) return expression
  const isPlain = isInOneZone(of, facts) && hasPlainYears('like', '=', of, facts)
  return isPlain ? apply('format_time', { kind: 'literal', type: 'text', value: format }, of) : expression
}
