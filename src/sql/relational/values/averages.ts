import type { Dialect } from '../../../enums/dialect.js'
import { numberLiteral } from '../../functions/function-table.js'
import { apply, type Expression } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { isSameExpression } from '../column-references.js'
import { isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/** Dialects in which averages of integers, of decimals and of floats have as many places, more than matter. */
const evenAverages: ReadonlySet<Dialect> = new Set(['sqlite', 'duckdb', 'postgres'])

/**
 * `sum(x) / count(x)` that is not rounded is the average of x, of no rows too; redshift rounds averages of integers. The
 * average of 1.0 and 0.0 is that of 1 and 0.
 */
export function normalizeAverage(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply') return expression
  if (expression.op === 'avg')
    return evenAverages.has(facts.dialect) ? ofWholeNumerals(expression) : expression
  if (expression.op !== 'fdiv' || facts.dialect === 'redshift') return expression
  const [total, size] = expression.args
  const value = argumentOf('sum', total)
  const counted = argumentOf('count', size)
  if (value === undefined || counted === undefined) return expression
  const isAll = counted.kind === 'literal' && counted.type === 'word' && counted.value === '*'
  const isSame = isAll ? isNeverNull(value, facts) : isSameExpression(value, counted)
  return isSame ? apply('avg', value) : expression
}

function argumentOf(op: string, call: Expression | undefined): Expression | undefined {
  return call?.kind === 'apply' && call.op === op && call.args.length === 1 ? call.args[0] : undefined
}

function isNeverNull(value: Expression, facts: Facts): boolean {
  if (value.kind !== 'apply' || value.op !== 'case') return isNotNull(value, facts, [])
  const last = value.args.at(-1)
  return (
    last?.kind === 'apply' &&
    last.op === 'else' &&
    value.args.every((part) => {
      const result = part.kind === 'apply' ? part.args.at(-1) : undefined
      return result !== undefined && isNotNull(result, facts, [])
    })
  )
}

/** The average of a CASE that gives nothing but numerals, in which none is written with a fraction of zeros. */
function ofWholeNumerals(average: Expression & { kind: 'apply' }): Expression {
  const [value, ...others] = average.args
  if (value?.kind !== 'apply' || value.op !== 'case' || others.length > 0) return average
  const parts = mapAll(value.args, withWholeNumeral)
  return parts === value.args || !value.args.every(givesNumeral)
    ? average
    : apply('avg', { ...value, args: parts })
}

function givesNumeral(part: Expression): boolean {
  const result = part.kind === 'apply' ? part.args.at(-1) : undefined
  return result?.kind === 'literal' && result.type === 'number' && /^\d+(?:\.\d+)?$/u.test(result.value)
}

function withWholeNumeral(part: Expression): Expression {
  const result = part.kind === 'apply' ? part.args.at(-1) : undefined
  const isWhole = result?.kind === 'literal' && /^\d+\.0+$/u.test(result.value)
  if (part.kind !== 'apply' || !isWhole) return part
  return { ...part, args: [...part.args.slice(0, -1), numberLiteral(result.value.replace(/\.0+$/u, ''))] }
}
