import type { Dialect } from '../../enums/dialect.js'
import { asNode } from '../shape/ast.js'
import { createOperatorGrouper } from '../shape/operator-grouping.js'
import { operatorOf } from '../shape/operators.js'
import { type OperatorKind, precedences } from '../shape/precedence.js'
import { mapAll } from '../shape/rewrite-query.js'

/** Whether a text has operators that dialects group each in its own way, so that its tree is worth a look. */
export function mayNeedParentheses(sql: string): boolean {
  return /[|&^~#]|<<|>>|->/u.test(sql)
}

/**
 * The tree with brackets around operands that some dialect would group otherwise than this one: the library writes operators as
 * its own table of precedence groups them. The same tree where there are none.
 */
export function addParentheses(tree: unknown, dialect: Dialect): unknown {
  const grouped = createOperatorGrouper(dialect)
  const kindOf = (value: unknown): OperatorKind | undefined => {
    const node = asNode(value)
    return node && operatorOf(node, dialect)?.kind
  }
  const visit = (written: unknown): unknown => {
    if (Array.isArray(written)) return mapAll<unknown>(written, visit)
    if (typeof written !== 'object' || written === null) return written
    const value = grouped(written)
    const node = asNode(value)
    const operator = node && operatorOf(node, dialect)
    if (operator === undefined) return withParts(value, (part) => visit(part))
    const bracketed = (part: unknown, key: string): unknown => {
      const inner = key === operator.left || key === operator.right ? kindOf(part) : undefined
      const visited = visit(part)
      return inner !== undefined && isDisputed(operator.kind, inner, key === operator.left)
        ? { paren: { this: visited, trailing_comments: [] } }
        : visited
    }
    const parts = withParts(operator.body, bracketed)
    const changed = parts === operator.body ? undefined : { [operator.tag]: parts }
    if (changed === undefined) return value
    return operator.negated ? { not: { this: changed } } : changed
  }
  return visit(tree)
}

/** The same object where no part changes. */
function withParts(value: unknown, change: (part: unknown, key: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const changed = mapAll(entries, (entry) => {
    const [key, part] = entry
    const next = change(part, key)
    return next === part ? entry : ([key, next] as [string, unknown])
  })
  return changed === entries ? value : Object.fromEntries(changed)
}

/** Whether a dialect does not hold the inner operator together more firmly than the outer one. */
function isDisputed(outer: OperatorKind, inner: OperatorKind, isLeft: boolean): boolean {
  return Object.values(precedences).some((precedence) => {
    if (precedence === undefined) return false
    return isLeft
      ? precedence[inner].right < precedence[outer].left
      : precedence[inner].left <= precedence[outer].right
  })
}
