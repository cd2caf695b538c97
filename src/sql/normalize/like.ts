import type { Dialect } from '../../dialect.js'
import { apply, type Expression } from '../shape/query-shape.js'

/** Dialects in which LIKE ignores the case of letters. */
const ignoresCase: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql'])

/** `x ILIKE p`, `lower(x) LIKE lower(p)` and, where LIKE ignores case, `x LIKE p` ask the same. */
export function unifyLike(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply' || expression.args.length !== 2) return expression
  const [value, pattern] = expression.args
  if (value === undefined || pattern === undefined) return expression
  const once = argumentOf('lower', value) ?? argumentOf('upper', value)
  const lowered = once && (argumentOf('lower', once) ?? argumentOf('upper', once) ?? once)
  if (expression.op === 'i_like') return apply('i_like', lowered ?? value, plainPattern(pattern))
  if (expression.op !== 'like') return expression
  if (ignoresCase.has(dialect)) return apply('i_like', lowered ?? value, plainPattern(pattern))
  const fold = argumentOf('lower', value) === undefined ? 'upper' : 'lower'
  if (lowered === undefined || !isFolded(pattern, fold)) return expression
  return apply('i_like', lowered, plainPattern(pattern))
}

function isFolded(pattern: Expression, fold: 'lower' | 'upper'): boolean {
  if (argumentOf(fold, pattern) !== undefined) return true
  if (pattern.kind !== 'literal' || pattern.type !== 'text') return false
  return pattern.value === (fold === 'lower' ? pattern.value.toLowerCase() : pattern.value.toUpperCase())
}

/** The pattern with its letters in lower case: their case does not matter. */
function plainPattern(pattern: Expression): Expression {
  const inner = argumentOf('lower', pattern) ?? argumentOf('upper', pattern) ?? pattern
  return inner.kind === 'literal' && inner.type === 'text' && /^[\u0020-\u007e]*$/u.test(inner.value)
    ? { ...inner, value: inner.value.toLowerCase() }
    : inner
}

function argumentOf(name: string, call: Expression): Expression | undefined {
  return call.kind === 'apply' && call.op === name && call.args.length === 1 ? call.args[0] : undefined
}
