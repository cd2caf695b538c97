import { apply, type Expression } from '../../shape/query-shape.js'
import { same } from '../columns.js'
import type { Facts } from '../facts.js'
import { isNotNull } from '../nulls.js'

/** `sum(x) / count(x)` that is not rounded is the average of x, of no rows too; redshift rounds averages of integers. */
export function unifyAverage(expression: Expression, facts: Facts): Expression {
  if (expression.kind !== 'apply' || expression.op !== 'fdiv' || facts.dialect === 'redshift')
    return expression
  const [total, size] = expression.args
  const value = argumentOf('sum', total)
  const counted = argumentOf('count', size)
  if (value === undefined || counted === undefined) return expression
  const isAll = counted.kind === 'literal' && counted.type === 'word' && counted.value === '*'
  const isSame = isAll ? isAlwaysGiven(value, facts) : same(value, counted)
  return isSame ? apply('avg', value) : expression
}

function argumentOf(op: string, call: Expression | undefined): Expression | undefined {
  return call?.kind === 'apply' && call.op === op && call.args.length === 1 ? call.args[0] : undefined
}

function isAlwaysGiven(value: Expression, facts: Facts): boolean {
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
