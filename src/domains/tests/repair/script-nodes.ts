import type { SyntaxNode } from '../../../subagent/script/python-grammar.js'

export interface ChangeContext {
  readonly text: string
  readonly root: SyntaxNode
  /** Spans that are not changed: stubs, imports, inputs. */
  readonly fixed: readonly (readonly [number, number])[]
  /** Keys and short words that the host and the probes use. */
  readonly words: readonly string[]
  /** Keys that a right result has, each with the texts that it may have there. */
  readonly resultKeys: ReadonlyMap<string, ReadonlySet<string>>
  /** Names of the functions of the host that the script declares. */
  readonly externals: readonly string[]
}

/** Returns the nodes that may be changed, in the order of the text. */
export function nodesOf({ root, fixed }: ChangeContext): SyntaxNode[] {
  const found: SyntaxNode[] = []
  const visit = (node: SyntaxNode): void => {
    if (fixed.some(([from, to]) => node.startIndex >= from && node.endIndex <= to)) return
    if (node.parent?.type === 'module' && node.type === 'expression_statement' && node.text.startsWith('"""'))
      return
    found.push(node)
    for (const child of node.namedChildren) if (child !== null) visit(child)
  }
  visit(root)
  return found
}

const mostPooled = 60

/** Returns expressions that stand in the script, and the fields that its variables may have. */
export function expressionPool(context: ChangeContext): readonly string[] {
  const nodes = nodesOf(context)
  const names = assignedNames(context.root)
  const written = nodes
    .filter(
      ({ type, text }) =>
        ['subscript', 'call', 'identifier', 'parenthesized_expression'].includes(type) && text.length < 40,
    )
    .filter((node) => node.type !== 'identifier' || isValue(node))
    .map(({ text }) => text)
  const subjects = new Set(
    nodes
      .filter(({ type }) => type === 'subscript')
      .map((node) => node.childForFieldName('value')?.text ?? ''),
  )
  const fields = [...subjects].flatMap((subject) =>
    [...context.resultKeys.keys()].map((key) => `${subject}["${key}"]`),
  )
  return [...new Set([...names, ...written, ...fields, 'None', 'True', 'False', '""', '0', '[]'])].slice(
    0,
    mostPooled,
  )
}

export function assignedNames(root: SyntaxNode): readonly string[] {
  const names = [
    ...descendants(root, 'assignment'),
    ...descendants(root, 'for_in_clause'),
    ...descendants(root, 'for_statement'),
  ]
    .map((node) => node.childForFieldName('left'))
    .flatMap((left) => (left?.type === 'identifier' ? [left.text] : []))
  return [...new Set(names)]
}

/** Reports whether a name stands for a value, and is no name of a function, an attribute, a key or a target. */
export function isValue({ parent, id }: SyntaxNode): boolean {
  if (parent === null) return false
  const role = (field: string): boolean => parent.childForFieldName(field)?.id === id
  if (parent.type === 'attribute' && role('attribute')) return false
  if (parent.type === 'keyword_argument' && role('name')) return false
  if (parent.type === 'call' && role('function')) return false
  if (['assignment', 'for_in_clause', 'for_statement'].includes(parent.type) && role('left')) return false
  return !['type', 'function_definition', 'parameters', 'typed_parameter', 'generic_type'].includes(
    parent.type,
  )
}

export function descendants(root: SyntaxNode, type: string): SyntaxNode[] {
  return root.descendantsOfType(type).filter((node) => node !== null)
}
