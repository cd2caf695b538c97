import type { Dialect } from '../../enums/dialect.js'
import { type AstNode, type AstObject, asNode, asObject } from './ast.js'
import type { OperatorKind } from './precedence.js'

/** How the library keeps an operator: its kind, and in which parts of the node its open operands are. */
interface Spelling {
  readonly kind: OperatorKind
  readonly left?: string
  readonly right?: string
}

/** A node that is written with an operator, unlike one that is written as a call. */
export interface OperatorNode extends Spelling {
  readonly tag: string
  readonly body: AstObject
  /** Whether it is written with a NOT inside, as `a NOT LIKE b`, which the library keeps around it. */
  readonly negated: boolean
}

const infix = (kind: OperatorKind): Spelling => ({ kind, left: 'left', right: 'right' })
const thisAnd = (right: string, kind: OperatorKind): Spelling => ({ kind, left: 'this', right })
const postfix = (kind: OperatorKind): Spelling => ({ kind, left: 'this' })
const prefix = (kind: OperatorKind): Spelling => ({ kind, right: 'this' })

const spellings: ReadonlyMap<string, Spelling> = new Map([
  ['not', prefix('not')],
  ['neg', prefix('sign')],
  ['bitwise_not', prefix('bit_not')],
  ...['eq', 'neq'].map((tag) => [tag, infix('equals')] as const),
  ...['lt', 'lte', 'gt', 'gte'].map((tag) => [tag, infix('less')] as const),
  ['is', infix('is')],
  ...['is_null', 'is_true', 'is_false', 'is_json'].map((tag) => [tag, postfix('is')] as const),
  ['null_safe_eq', infix('same')],
  ['null_safe_neq', infix('distinct')],
  ...['like', 'i_like', 'glob', 'match'].map((tag) => [tag, infix('like')] as const),
  ['similar_to', thisAnd('pattern', 'like')],
  ['regexp_like', thisAnd('pattern', 'matches')],
  ['regexp_i_like', thisAnd('expression', 'matches')],
  ['in', postfix('in')],
  ['between', thisAnd('high', 'between')],
  ...['any', 'all'].map((tag) => [tag, postfix('quantified')] as const),
  ...['array_contains_all', 'array_contained_by', 'array_overlaps', 'ts_match', 'member_of'].map(
    (tag) => [tag, infix('symbol')] as const,
  ),
  ...['j_s_o_n_b_contains_any_top_keys', 'j_s_o_n_b_contains_all_top_keys', 'j_s_o_n_b_delete_at_path'].map(
    (tag) => [tag, infix('symbol')] as const,
  ),
  ...['adjacent', 'extends_left', 'extends_right'].map((tag) => [tag, infix('symbol')] as const),
  ...['j_s_o_n_b_contains', 'starts_with', 'euclidean_distance'].map(
    (tag) => [tag, thisAnd('expression', 'symbol')] as const,
  ),
  ['bitwise_or', infix('bit_or')],
  ['bitwise_xor', infix('bit_xor')],
  ['bitwise_and', infix('bit_and')],
  ...['bitwise_left_shift', 'bitwise_right_shift'].map((tag) => [tag, infix('shift')] as const),
  ['concat', infix('concat')],
  ...['add', 'sub'].map((tag) => [tag, infix('add')] as const),
  ...['mul', 'div', 'mod'].map((tag) => [tag, infix('multiply')] as const),
  ['int_div', thisAnd('expression', 'multiply')],
  ['json_extract', thisAnd('path', 'arrow')],
  ['json_extract_scalar', thisAnd('path', 'text_arrow')],
])

/** Whether the operand of a NOT can have it inside: `a NOT LIKE b` has the tree of `NOT a LIKE b`. */
const negatable: ReadonlySet<string> = new Set([
  ...['is', 'in', 'between', 'like', 'i_like', 'glob', 'match', 'similar_to', 'regexp_like', 'regexp_i_like'],
])

/** The operator that a node is written with, if it is. */
export function operatorOf(node: AstNode, dialect: Dialect): OperatorNode | undefined {
  const spelling = spellings.get(node.tag)
  if (spelling === undefined) return undefined
  const body = asObject(node.body)
  if (body === undefined || !isOperator(node.tag, body)) return undefined
  if (node.tag === 'not') {
    // Read as written inside: where both are possible, the operand is the weakest operator in it, so that they agree.
    const inner = asNode(body['this'])
    const positive = inner && negatable.has(inner.tag) ? operatorOf(inner, dialect) : undefined
    if (positive !== undefined) return { ...positive, negated: true }
  }
  const isAnd = node.tag === 'array_overlaps' && dialect === 'mysql'
  return { ...spelling, kind: isAnd ? 'and' : spelling.kind, tag: node.tag, body, negated: false }
}

/** The library has one tag for `a -> 'b'` and json_extract(a, 'b'), and for `a ^@ b` and starts_with(a, b). */
function isOperator(tag: string, body: AstObject): boolean {
  if (tag === 'json_extract' || tag === 'json_extract_scalar')
    return body['arrow_syntax'] === true || body['hash_arrow_syntax'] === true
  return tag !== 'starts_with' || body['original_name'] === '^@'
}

/** The node with other operands. */
export function withOperands(operator: OperatorNode, left: unknown, right: unknown): unknown {
  const { tag, body, negated } = operator
  const operands = {
    ...(operator.left !== undefined && { [operator.left]: left }),
    ...(operator.right !== undefined && { [operator.right]: right }),
  }
  const node = { [tag]: { ...body, ...operands } }
  return negated ? { not: { this: node } } : node
}
