import type { SyntaxNode } from '../../../subagent/script/python-grammar.js'

/** A version of a script with one small change. */
export interface ScriptChange {
  readonly text: string
  /** Characters that are replaced and put in their place. */
  readonly size: number
}

export interface ChangeContext {
  readonly text: string
  readonly root: SyntaxNode
  /** Spans that are not changed: stubs, imports, inputs. */
  readonly fixed: readonly (readonly [number, number])[]
  /** Keys and short words that the host and the probes use. */
  readonly words: readonly string[]
  /** Keys that a right result has. */
  readonly resultKeys: readonly string[]
}

type Replacement = readonly [from: number, to: number, text: string]

/**
 * Yields every small change of a script: an operator, a constant, a key, a condition, a call or a slice left out, an
 * expression in the place of another, a missing key of a result. They undo what edits by mistake do, and know nothing of
 * any tool.
 */
export function* scriptChanges(context: ChangeContext): Generator<ScriptChange, void> {
  const seen = new Set([context.text])
  const pool = expressionPool(context)
  for (const source of [simpleChanges, structuralChanges, keyChanges, expressionChanges])
    for (const node of nodesOf(context))
      for (const [from, to, now] of source(node, context, pool)) {
        const text = context.text.slice(0, from) + now + context.text.slice(to)
        if (seen.has(text)) continue
        seen.add(text)
        yield { text, size: to - from + now.length }
      }
}

/** Returns the nodes that may be changed, in the order of the text. */
function nodesOf({ root, fixed }: ChangeContext): SyntaxNode[] {
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

const comparisons: Readonly<Record<string, readonly string[]>> = {
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>', '>='],
  '<=': ['<', '>=', '>'],
  '>': ['>=', '<', '<='],
  '>=': ['>', '<=', '<'],
  in: ['not in'],
  'not in': ['in'],
  is: ['is not'],
  'is not': ['is'],
}
const constants: readonly string[] = ['True', 'False', 'None']

function* simpleChanges(node: SyntaxNode): Generator<Replacement, void> {
  const here = (text: string): Replacement => [node.startIndex, node.endIndex, text]
  switch (node.type) {
    case 'comparison_operator':
      for (const child of node.children)
        if (child !== null && !child.isNamed)
          for (const other of comparisons[child.text] ?? []) yield [child.startIndex, child.endIndex, other]
      break
    case 'boolean_operator':
      for (const child of node.children)
        if (child !== null && (child.text === 'and' || child.text === 'or'))
          yield [child.startIndex, child.endIndex, child.text === 'and' ? 'or' : 'and']
      for (const side of sides(node)) yield here(side.text)
      break
    case 'not_operator':
      yield here(node.childForFieldName('argument')?.text ?? '')
      break
    case 'integer':
      for (const other of [Number(node.text) + 1, Number(node.text) - 1, 0, 1]) yield here(String(other))
      break
    case 'true':
    case 'false':
    case 'none':
      for (const other of constants) yield here(other)
      break
    case 'binary_operator':
      for (const side of sides(node)) yield here(side.text)
      break
    case 'conditional_expression': {
      const [then, condition, otherwise] = node.namedChildren.map((child) => child?.text ?? '')
      yield here(`${otherwise} if ${condition} else ${then}`)
      yield here(then ?? '')
      yield here(otherwise ?? '')
      break
    }
    default:
  }
}

function sides(node: SyntaxNode): SyntaxNode[] {
  return [node.childForFieldName('left'), node.childForFieldName('right')].filter((side) => side !== null)
}

function* structuralChanges(node: SyntaxNode, { text, root }: ChangeContext): Generator<Replacement, void> {
  const here = (now: string): Replacement => [node.startIndex, node.endIndex, now]
  switch (node.type) {
    case 'call': {
      const owner = node.childForFieldName('function')
      const object = owner?.type === 'attribute' ? owner.childForFieldName('object') : null
      if (object !== null && object !== undefined) yield here(object.text)
      const [only, ...more] = node.childForFieldName('arguments')?.namedChildren ?? []
      if (only !== undefined && only !== null && more.length === 0 && only.type !== 'keyword_argument')
        yield here(only.text)
      break
    }
    case 'subscript': {
      const value = node.childForFieldName('value')
      if (node.namedChildren.some((child) => child?.type === 'slice') && value !== null)
        yield here(value.text)
      break
    }
    case 'if_clause': {
      const condition = node.namedChildren[0]?.text ?? ''
      yield [
        text.lastIndexOf(' ', node.startIndex - 1) === node.startIndex - 1
          ? node.startIndex - 1
          : node.startIndex,
        node.endIndex,
        '',
      ]
      yield here(`if not (${condition})`)
      break
    }
    case 'list_comprehension':
      // A condition that another list has.
      if (!node.namedChildren.some((child) => child?.type === 'if_clause'))
        for (const clause of descendants(root, 'if_clause'))
          yield [node.endIndex - 1, node.endIndex - 1, ` ${clause.text}`]
      break
    case 'expression_statement':
    case 'assert_statement':
      if (node.parent?.type === 'block' && node.parent.namedChildren.length === 1) yield here('pass')
      else yield here('pass')
      break
    case 'if_statement': {
      const condition = node.childForFieldName('condition')
      if (condition !== null) {
        yield [condition.startIndex, condition.endIndex, `not (${condition.text})`]
        yield [condition.startIndex, condition.endIndex, 'True']
        yield [condition.startIndex, condition.endIndex, 'False']
      }
      break
    }
    case 'identifier':
      if (isValue(node)) for (const name of assignedNames(root)) if (name !== node.text) yield here(name)
      break
    default:
  }
}

function* keyChanges(
  node: SyntaxNode,
  { words, resultKeys }: ChangeContext,
  pool: readonly string[],
): Generator<Replacement, void> {
  if (node.type === 'string' && !/^[fFrR]*"""/.test(node.text) && node.text.length < 40) {
    const isKey = node.parent?.type === 'pair' && node.parent.childForFieldName('key')?.id === node.id
    for (const word of isKey ? resultKeys : words)
      yield [node.startIndex, node.endIndex, JSON.stringify(word)]
  }
  if (node.type !== 'dictionary') return
  const pairs = node.namedChildren.filter((child) => child?.type === 'pair')
  const keys = pairs.map((pair) => pair?.childForFieldName('key')?.text.slice(1, -1) ?? '')
  const last = pairs.at(-1)
  if (last === undefined || last === null) return
  for (const key of resultKeys) {
    if (keys.includes(key)) continue
    for (const value of likelyValues(key, node, pool))
      yield [last.endIndex, last.endIndex, `, ${JSON.stringify(key)}: ${value}`]
  }
  for (const pair of pairs)
    if (pair !== null && pairs.length > 1) {
      const next = pairs[pairs.indexOf(pair) + 1]
      yield next
        ? [pair.startIndex, next.startIndex, '']
        : [pairs.at(-2)?.endIndex ?? pair.startIndex, pair.endIndex, '']
    }
}

/** Returns values for a missing key: what its neighbours are taken from, under that name, before anything else. */
function likelyValues(key: string, dictionary: SyntaxNode, pool: readonly string[]): readonly string[] {
  const owners = [...dictionary.text.matchAll(/([A-Za-z_]\w*)\[["']/g)].map(([, owner]) => owner ?? '')
  return [...new Set([...owners.map((owner) => `${owner}["${key}"]`), key, ...pool])]
}

function* expressionChanges(
  node: SyntaxNode,
  _context: ChangeContext,
  pool: readonly string[],
): Generator<Replacement, void> {
  const place = placeOf(node)
  if (place === undefined) return
  for (const expression of pool)
    if (expression !== place.text) yield [place.startIndex, place.endIndex, expression]
  for (const expression of pool)
    if (/^[a-z_]\w*$/.test(expression) && expression !== place.text)
      yield [place.startIndex, place.endIndex, `${place.text} + ${expression}`]
  for (const expression of pool)
    if (expression !== place.text) yield [place.startIndex, place.endIndex, `${place.text} or ${expression}`]
}

/** Returns the value of a pair, an argument or an assignment: places where an expression stands for itself. */
function placeOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === 'pair' || node.type === 'keyword_argument')
    return node.childForFieldName('value') ?? undefined
  if (node.type === 'assignment') return node.childForFieldName('right') ?? undefined
  if (node.type === 'for_in_clause') return node.childForFieldName('right') ?? undefined
  return undefined
}

const mostPooled = 60

/** Returns expressions that stand in the script, and the fields that its variables may have. */
function expressionPool(context: ChangeContext): readonly string[] {
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
  const fields = [...subjects].flatMap((subject) => context.resultKeys.map((key) => `${subject}["${key}"]`))
  return [...new Set([...names, ...written, ...fields, 'None', 'True', 'False', '""', '0', '[]'])].slice(
    0,
    mostPooled,
  )
}

function assignedNames(root: SyntaxNode): readonly string[] {
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
function isValue({ parent, id }: SyntaxNode): boolean {
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

function descendants(root: SyntaxNode, type: string): SyntaxNode[] {
  return root.descendantsOfType(type).filter((node) => node !== null)
}
