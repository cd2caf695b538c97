import { nearest } from '../text/nearest-word.js'

/** Example values by name. Names without one are not checked. */
type Scope = ReadonlyMap<string, unknown>
type Node = Readonly<Record<string, unknown>>

export interface UnknownAttribute {
  /** `entry.txt` */
  readonly text: string
  readonly hint: string | undefined
}

const stringAttributes = [
  ...['upper', 'lower', 'strip', 'lstrip', 'rstrip', 'title', 'capitalize', 'length'],
  ...['startswith', 'endswith', 'split', 'replace'],
]
const objectAttributes = ['items', 'keys', 'values', 'get']

/**
 * Returns the first attribute that a template reads from a value which does not have it, wherever it occurs:
 * it would be rendered as nothing. Attributes with a default, or in a test, may be absent.
 *
 * @param examples example values of the variables
 */
export function findUnknownAttribute(
  tree: unknown,
  examples: Readonly<Record<string, unknown>>,
): UnknownAttribute | undefined {
  return find(tree, new Map(Object.entries(examples)))
}

function find(tree: unknown, scope: Scope): UnknownAttribute | undefined {
  if (!Array.isArray(tree)) return isNode(tree) ? findIn(tree, scope) : undefined
  const known = new Map(scope)
  for (const each of tree) {
    const found = find(each, known)
    if (found !== undefined) return found
    if (isNode(each) && (each['type'] === 'Set' || each['type'] === 'Macro')) removeBoundNames(each, known)
  }
  return undefined
}

function findIn(node: Node, scope: Scope): UnknownAttribute | undefined {
  switch (node['type']) {
    case 'For':
      return findInLoop(node, scope)
    case 'TestExpression':
      return undefined
    case 'FilterExpression':
      return nameOf(node['filter']) === 'default' ? undefined : find(Object.values(node), scope)
    case 'MemberExpression':
      return missingAttribute(node, scope) ?? find(node['object'], scope)
    case 'Macro': {
      const own = new Map(scope)
      for (const argument of listOf(node['args'])) own.delete(nameOf(argument) ?? '')
      return find(node['body'], own)
    }
    default:
      return find(
        Object.values(node).filter((part) => typeof part === 'object'),
        scope,
      )
  }
}

function findInLoop(node: Node, scope: Scope): UnknownAttribute | undefined {
  const { loopvar, iterable, body, defaultBlock } = node
  const chosen = isNode(iterable) && iterable['type'] === 'SelectExpression' ? iterable : undefined
  const list = exampleOf(chosen === undefined ? iterable : chosen['lhs'], scope)
  const inner = new Map(scope)
  inner.delete('loop')
  const names = isNode(loopvar) && loopvar['type'] === 'TupleLiteral' ? listOf(loopvar['value']) : [loopvar]
  for (const each of names) inner.delete(nameOf(each) ?? '')
  if (names.length === 1 && Array.isArray(list)) inner.set(nameOf(loopvar) ?? '', list[0])
  return (
    find(chosen === undefined ? iterable : chosen['lhs'], scope) ??
    find([chosen?.['test'], body], inner) ??
    find(defaultBlock, scope)
  )
}

function missingAttribute(node: Node, scope: Scope): UnknownAttribute | undefined {
  const owner = exampleOf(node['object'], scope)
  const name = propertyOf(node)
  if (owner === undefined || owner === null || name === undefined) return undefined
  const names = attributesOf(owner)
  if (names === undefined || names.includes(name)) return undefined
  const guess = nearest(name, names)
  return {
    text: `${nameOf(node['object']) ?? '…'}.${name}`,
    hint: guess === undefined ? undefined : `did you mean \`${guess}\`?`,
  }
}

function attributesOf(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return stringAttributes
  if (Array.isArray(value)) return ['length']
  return typeof value === 'object' && value !== null
    ? [...Object.keys(value), ...objectAttributes]
    : undefined
}

function exampleOf(node: unknown, scope: Scope): unknown {
  if (!isNode(node)) return undefined
  if (node['type'] === 'Identifier') return scope.get(nameOf(node) ?? '')
  if (node['type'] !== 'MemberExpression') return undefined
  const owner = exampleOf(node['object'], scope)
  if (Array.isArray(owner)) return node['computed'] === true ? owner[0] : undefined
  const name = propertyOf(node)
  return isNode(owner) && name !== undefined ? owner[name] : undefined
}

/** Returns `text` for `entry.text` and for `entry["text"]`. */
function propertyOf({ computed, property }: Node): string | undefined {
  if (!isNode(property)) return undefined
  if (computed !== true) return nameOf(property)
  return property['type'] === 'StringLiteral' ? String(property['value']) : undefined
}

/** Returns the name of an identifier, or of a filter with arguments. */
function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node['type'] === 'Identifier') return String(node['value'])
  return node['type'] === 'CallExpression' ? nameOf(node['callee']) : undefined
}

function removeBoundNames({ assignee, name }: Node, scope: Map<string, unknown>): void {
  for (const each of [assignee, name]) scope.delete(nameOf(each) ?? '')
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
