import type { Dialect } from '../../enums/dialect.js'
import { type AstObject, asNode } from './ast.js'
import { type OperatorNode, operatorOf, withOperands } from './operators.js'
import { type BindingPower, type Precedence, precedences } from './precedence.js'

/** Deeper trees are refused, whatever their grouping. */
const maxDepth = 700

/**
 * Groups operators as the dialect does: the library has one table of precedence for all dialects. Brackets are nodes
 * of its tree, so that what stands between two of them can be told, and grouped anew by precedence climbing.
 * @returns a function over the nodes of one query, which are to be given outermost first
 */
export function createOperatorGrouper(dialect: Dialect): (value: unknown) => unknown {
  const precedence = precedences[dialect]
  if (precedence === undefined) return (value) => value
  const known = new WeakSet<AstObject>()
  const operator = (value: unknown): OperatorNode | undefined => {
    const node = asNode(value)
    return node && operatorOf(node, dialect)
  }

  /** Whether all operators down to the next brackets are grouped as the dialect does. */
  const isGrouped = (at: OperatorNode, depth: number): boolean => {
    known.add(at.body)
    const strength = precedence[at.kind]
    const holds = (key: string | undefined, isFirm: (inner: BindingPower) => boolean): boolean => {
      const inner = key === undefined ? undefined : operator(at.body[key])
      return inner === undefined || (isFirm(precedence[inner.kind]) && isGrouped(inner, depth + 1))
    }
    if (depth > maxDepth) return true
    const isLeftHeld = holds(at.left, (inner) => inner.right >= strength.left)
    // A prefix in a prefix, as NOT NOT, is no rival for an operand.
    const isRightHeld = holds(at.right, (inner) =>
      at.left === undefined ? inner.left >= strength.right : inner.left > strength.right,
    )
    return isLeftHeld && isRightHeld
  }

  return (value) => {
    const outermost = operator(value)
    if (outermost === undefined || known.has(outermost.body)) return value
    if (isGrouped(outermost, 0)) return value
    return regroup(inOrder(outermost, operator), precedence)
  }
}

type Item = OperatorNode | { readonly operand: unknown }

/** Operators and operands as they are written, left to right. */
function inOrder(
  root: OperatorNode,
  operator: (value: unknown) => OperatorNode | undefined,
): readonly Item[] {
  const items: Item[] = []
  const visit = (value: unknown): void => {
    const inner = operator(value)
    if (inner === undefined) items.push({ operand: value })
    else visitOperator(inner)
  }
  const visitOperator = (at: OperatorNode): void => {
    if (at.left !== undefined) visit(at.body[at.left])
    items.push(at)
    if (at.right !== undefined) visit(at.body[at.right])
  }
  visitOperator(root)
  return items
}

/** The tree of a sequence, as an operator-precedence parser builds it; Pratt, "Top down operator precedence", 1973. */
function regroup(items: readonly Item[], precedence: Precedence): unknown {
  let at = 0
  const operand = (): unknown => {
    const item = items[at++]
    if (item === undefined) return undefined
    return 'operand' in item ? item.operand : withOperands(item, undefined, from(precedence[item.kind].right))
  }
  /** Returns the right operand of an operator of this strength. */
  const from = (strength: number): unknown => {
    let tree = operand()
    for (let item = items[at]; item !== undefined && !('operand' in item); item = items[at]) {
      const { left, right } = precedence[item.kind]
      if (left <= strength) break
      at++
      tree = withOperands(item, tree, item.right === undefined ? undefined : from(right))
    }
    return tree
  }
  return from(-1)
}
