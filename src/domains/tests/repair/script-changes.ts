import type { SyntaxNode } from '../../../subagent/script/python-grammar.js'
import {
  assignedNames,
  type ChangeContext,
  descendants,
  expressionPool,
  isValue,
  nodesOf,
} from './script-nodes.js'

/** A version of a script with one small change. */
export interface ScriptChange {
  readonly text: string
  /** How far-fetched its kind is, from 0: among changes that serve equally well, the plainest is meant. */
  readonly rank: number
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
  const nodes = nodesOf(context)
  for (const [rank, source] of [leftOut, exchanged, fieldChanges, conditionChanges, combined].entries())
    for (const node of nodes)
      for (const [from, to, now] of source(node, context, pool)) {
        const text = context.text.slice(0, from) + now + context.text.slice(to)
        if (seen.has(text)) continue
        seen.add(text)
        yield { text, rank }
      }
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

/** Something is left out: a part of an expression, a call around it, a slice, a condition, a statement. */
function* leftOut(node: SyntaxNode, { text }: ChangeContext): Generator<Replacement, void> {
  const here = (now: string): Replacement => [node.startIndex, node.endIndex, now]
  switch (node.type) {
    case 'boolean_operator':
    case 'binary_operator':
      for (const side of sides(node)) yield here(side.text)
      break
    case 'not_operator':
      yield here(node.childForFieldName('argument')?.text ?? '')
      break
    case 'conditional_expression': {
      const [then, , otherwise] = node.namedChildren
      yield here(then?.text ?? '')
      yield here(otherwise?.text ?? '')
      break
    }
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
      const before = text.slice(0, node.startIndex)
      yield [before.trimEnd().length, node.endIndex, '']
      break
    }
    case 'expression_statement':
      yield here('pass')
      break
    default:
  }
}

/** One thing stands in the place of another of its kind: operators, constants, names, words. */
function* exchanged(node: SyntaxNode, context: ChangeContext): Generator<Replacement, void> {
  const here = (now: string): Replacement => [node.startIndex, node.endIndex, now]
  switch (node.type) {
    case 'comparison_operator':
      yield* comparisonChanges(node, context)
      break
    case 'boolean_operator':
      for (const child of node.children)
        if (child !== null && (child.text === 'and' || child.text === 'or'))
          yield [child.startIndex, child.endIndex, child.text === 'and' ? 'or' : 'and']
      break
    case 'integer':
      for (const other of [Number(node.text) + 1, Number(node.text) - 1, 0, 1]) yield here(String(other))
      break
    case 'true':
    case 'false':
    case 'none':
      for (const other of constants) yield here(other)
      break
    case 'conditional_expression': {
      const [then, condition, otherwise] = node.namedChildren.map((child) => child?.text ?? '')
      yield here(`${otherwise} if ${condition} else ${then}`)
      break
    }
    case 'identifier':
      if (isValue(node)) {
        for (const name of assignedNames(context.root)) if (name !== node.text) yield here(name)
      } else if (node.parent?.type === 'call' && node.parent.childForFieldName('function')?.id === node.id)
        for (const name of context.externals) if (name !== node.text) yield here(name)
      break
    case 'string':
      if (!/^[fFrR]*"""/.test(node.text) && node.text.length < 40) {
        const isKey = node.parent?.type === 'pair' && node.parent.childForFieldName('key')?.id === node.id
        for (const word of isKey ? context.resultKeys.keys() : context.words) yield here(JSON.stringify(word))
      }
      break
    default:
  }
}

function* comparisonChanges(node: SyntaxNode, { words }: ChangeContext): Generator<Replacement, void> {
  for (const child of node.children)
    if (child !== null && !child.isNamed)
      for (const other of comparisons[child.text] ?? []) yield [child.startIndex, child.endIndex, other]
  const [left, right, ...more] = node.namedChildren
  if (right?.type !== 'string' || left === null || left === undefined || more.length > 0) return
  for (const word of words)
    for (const operator of ['==', '!='])
      yield [node.startIndex, node.endIndex, `${left.text} ${operator} ${JSON.stringify(word)}`]
}

function sides(node: SyntaxNode): SyntaxNode[] {
  return [node.childForFieldName('left'), node.childForFieldName('right')].filter((side) => side !== null)
}

/** The fields of a result: one that is missing, one too many, and from where a value comes. */
function* fieldChanges(
  node: SyntaxNode,
  context: ChangeContext,
  pool: readonly string[],
): Generator<Replacement, void> {
  const place = placeOf(node)
  if (place !== undefined) {
    const key = node.childForFieldName('key')?.text.slice(1, -1) ?? ''
    const values = key === '' ? pool : [...fieldsNamed(key, node.parent ?? node, context), ...pool]
    for (const value of values) if (value !== place.text) yield [place.startIndex, place.endIndex, value]
  }
  if (node.type !== 'dictionary') return
  const pairs = node.namedChildren.filter((child) => child?.type === 'pair').filter((pair) => pair !== null)
  const keys = pairs.map((pair) => pair.childForFieldName('key')?.text.slice(1, -1) ?? '')
  const last = pairs.at(-1)
  if (last === undefined) return
  for (const key of context.resultKeys.keys()) {
    if (keys.includes(key)) continue
    for (const value of [...fieldsNamed(key, node, context), ...pool])
      yield [last.endIndex, last.endIndex, `, ${JSON.stringify(key)}: ${value}`]
  }
}

/** Returns the fields of the values that a dictionary takes its own from: one of the same name first. */
function fieldsNamed(key: string, dictionary: SyntaxNode, { words }: ChangeContext): readonly string[] {
  const owners = new Set(
    [...dictionary.text.matchAll(/([A-Za-z_]\w*)\[["']/g)].map(([, owner]) => owner ?? ''),
  )
  return [...owners].flatMap((owner) => [key, ...words].map((word) => `${owner}["${word}"]`))
}

/** Conditions: negated, replaced, narrowed or widened by a name, and put where there is none. */
function* conditionChanges(
  node: SyntaxNode,
  { root, resultKeys }: ChangeContext,
  pool: readonly string[],
): Generator<Replacement, void> {
  const condition = conditionOf(node)
  if (condition !== undefined) {
    const here = (now: string): Replacement => [condition.startIndex, condition.endIndex, now]
    yield here(`not (${condition.text})`)
    for (const expression of pool) yield here(expression)
    for (const name of assignedNames(root)) {
      yield here(`${name} and ${condition.text}`)
      yield here(`${condition.text} and not ${name}`)
      yield here(`${condition.text} or ${name}`)
    }
  }
  if (node.type === 'list_comprehension' && !node.namedChildren.some((child) => child?.type === 'if_clause'))
    for (const clause of descendants(root, 'if_clause'))
      yield [node.endIndex - 1, node.endIndex - 1, ` ${clause.text}`]
  const place = placeOf(node)
  if (place === undefined) return
  const key = node.childForFieldName('key')?.text.slice(1, -1) ?? ''
  const others = [...(resultKeys.get(key) ?? [])].map((word) => JSON.stringify(word))
  for (const name of assignedNames(root))
    for (const other of [...others, 'None']) {
      yield [place.startIndex, place.endIndex, `${other} if ${name} else ${place.text}`]
      yield [place.startIndex, place.endIndex, `${place.text} if ${name} else ${other}`]
    }
}

function conditionOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === 'if_statement') return node.childForFieldName('condition') ?? undefined
  if (node.type === 'if_clause') return node.namedChildren[0] ?? undefined
  return node.type === 'conditional_expression' ? (node.namedChildren[1] ?? undefined) : undefined
}

/** An expression is combined with another one. */
function* combined(
  node: SyntaxNode,
  { words }: ChangeContext,
  pool: readonly string[],
): Generator<Replacement, void> {
  const place = placeOf(node)
  if (place === undefined) return
  const here = (now: string): Replacement => [place.startIndex, place.endIndex, now]
  const names = pool.filter((expression) => /^[a-z_]\w*$/.test(expression))
  for (const name of names) if (name !== place.text) yield here(`${name} or ${place.text}`)
  const owners = new Set(pool.flatMap((each) => /^([a-z_]\w*)\[/.exec(each)?.[1] ?? []))
  const fields = [...owners].flatMap((owner) => words.map((word) => `${owner}["${word}"]`))
  if (/\blen\(|^\d+$/.test(place.text))
    for (const part of [...names, ...fields]) yield here(`${place.text} + len(${part})`)
  else for (const name of names) if (name !== place.text) yield here(`${place.text} + ${name}`)
  for (const field of fields) yield here(`str(${field}) + ": " + ${place.text}`)
}

/** Returns the value of a pair, an argument or an assignment: places where an expression stands for itself. */
function placeOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === 'pair' || node.type === 'keyword_argument')
    return node.childForFieldName('value') ?? undefined
  if (node.type === 'assignment' || node.type === 'for_in_clause')
    return node.childForFieldName('right') ?? undefined
  return undefined
}
