import type { Expression } from '../shape/query-shape.js'

type Call = Extract<Expression, { kind: 'apply' }>

const fieldAccessOperators: ReadonlySet<string> = new Set([
  'json_extract_scalar',
  'json_extract_string',
  'json_extract',
  'json_value',
  // Of structs: `a.b`, `a['b']` and the call of that name.
  'dot',
  'subscript',
  'struct_extract',
])
const listMembershipCalls: ReadonlySet<string> = new Set([
  'list_contains',
  'array_contains',
  'list_has',
  'array_has',
])

/** Returns the JSON or struct that an expression reads, and the path in it; undefined where it reads an element of a list. */
export function nestedAccessOf(
  expression: Expression,
): { readonly whole: Expression; readonly path: readonly string[] } | undefined {
  if (expression.kind !== 'apply') return undefined
  const [first, ...others] = expression.args
  if (first === undefined) return undefined
  if (expression.op === 'cast') return nestedAccessOf(first)
  if (!fieldAccessOperators.has(expression.op)) return undefined
  const written = others.map((arg) => (isField(arg, 'path') || isField(arg, 'index') ? arg.args[0] : arg))
  const literals = written.flatMap((arg) =>
    arg?.kind === 'literal' && (arg.type === 'text' || arg.type === 'word') ? [arg.value] : [],
  )
  const path = literals.length === 1 ? namesOf(literals[0] ?? '') : undefined
  if (path === undefined) return undefined
  const outer = nestedAccessOf(first)
  return outer === undefined ? { whole: first, path } : { whole: outer.whole, path: [...outer.path, ...path] }
}

/** `$.a."b c"`, or one name as it is. */
function namesOf(path: string): readonly string[] | undefined {
  if (!path.startsWith('$')) return /^[^/[\]"]+$/u.test(path) ? [path] : undefined
  if (!/^\$(?:\.(?:"[^"]+"|[\p{L}\p{N}_]+))+$/u.test(path)) return undefined
  return [...path.matchAll(/\.(?:"([^"]+)"|([^."]+))/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

/** The list and the value of a call that asks whether one holds the other: `list_contains(tags, 'new')`, `'new' = ANY (tags)`. */
export function listMembershipOf({
  op,
  args,
}: Call): { readonly list: Expression; readonly value: Expression } | undefined {
  const [first, second, third] = args
  if (first === undefined || second === undefined) return undefined
  if (listMembershipCalls.has(op)) return { list: first, value: second }
  if (op === 'any' && third !== undefined && isField(third, 'subquery')) return valueIn(first, third)
  return op === 'in' && isField(second, 'expressions') ? valueIn(first, second) : undefined
}

function valueIn(value: Expression, { args }: Call): ReturnType<typeof listMembershipOf> {
  const [list] = args
  return list === undefined ? undefined : { list, value }
}

function isField(expression: Expression, name: string): expression is Call {
  return expression.kind === 'apply' && expression.op === `field:${name}`
}
