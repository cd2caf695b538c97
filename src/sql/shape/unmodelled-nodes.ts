import { type AstNode, asIdentifier, asList, asNode, asObject, semanticEntries } from './ast.js'
import { foldName } from './identifier-folding.js'
import { apply, type Expression, field, word } from './query-shape.js'
import type { ReadContext } from './read-context.js'
import type { Scope } from './scope.js'

/** Parts that need no label when they are all there is. */
const unlabelled: readonly (readonly string[])[] = [
  ['this'],
  ['left', 'right'],
  ['this', 'expression'],
  ['this', 'expressions'],
  ['expressions'],
  ['this', 'start'],
  ['this', 'start', 'length'],
]

/**
 * Keeps a node that we do not model: its tag and all its parts, names in it bound. Nothing is dropped, so two
 * such nodes are equal only where they say the same in the same way.
 */
export function readUnmodelled(node: AstNode, scope: Scope, context: ReadContext): Expression {
  const body = asObject(node.body)
  if (body === undefined) {
    return node.body === null ? apply(node.tag) : apply(node.tag, readValue(node.body, scope, context))
  }
  const parts = new Map(semanticEntries(body).filter(([key, value]) => !repeatsTag(node.tag, key, value)))
  const distinct = parts.get('distinct') === true && parts.has('this')
  if (distinct) parts.delete('distinct')
  const value = (key: string): readonly Expression[] => {
    const part = parts.get(key)
    const read = Array.isArray(part)
      ? asList(part).map((item) => readValue(item, scope, context))
      : [readValue(part, scope, context)]
    return key === 'this' && distinct ? [apply('distinct', ...read)] : read
  }
  const plain = unlabelled.find((keys) => keys.length === parts.size && keys.every((key) => parts.has(key)))
  if (plain !== undefined) return apply(node.tag, ...plain.flatMap(value))
  const first = parts.has('this') ? value('this') : []
  const others = [...parts.keys()].filter((key) => key !== 'this')
  return apply(node.tag, ...first, ...others.map((key) => field(key, ...value(key))))
}

/** Reads any value of the tree: node, list, record or plain value. */
export function readValue(value: unknown, scope: Scope, context: ReadContext): Expression {
  if (Array.isArray(value)) return apply('list', ...value.map((item) => readValue(item, scope, context)))
  const node = asNode(value)
  if (node !== undefined) {
    return asObject(node.body) === undefined
      ? readUnmodelled(node, scope, context)
      : context.expression(value, scope)
  }
  const record = asObject(value)
  if (record === undefined) return word(String(value))
  const identifier = asIdentifier(value)
  if (identifier !== undefined && typeof record['quoted'] === 'boolean')
    return word(foldName(identifier, context.dialect))
  return apply(
    'record',
    ...semanticEntries(record).map(([key, part]) => field(key, readValue(part, scope, context))),
  )
}

/** The parser notes the spelling of a function's name: `sum` for tag `sum`. */
function repeatsTag(tag: string, key: string, value: unknown): boolean {
  if ((key !== 'name' && key !== 'original_name') || typeof value !== 'string') return false
  return value.toLowerCase().replaceAll('_', '') === tag.replaceAll('_', '')
}
