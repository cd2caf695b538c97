import {
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { YamlValue } from './edit-types.js'

type Item = CST.CollectionItem

/** A value in the source text, together with the list item or map entry that contains it. */
export interface YamlSlot {
  readonly parent: YAMLMap | YAMLSeq
  readonly index: number
  readonly item: Item
  /** Null if nothing is written (`key:`). */
  readonly node: Node | null
}

/**
 * The result of following a path. Keys are those of the parsed data, which may be written differently (`1.10`
 * is `1.1`).
 */
export type ResolvedPath =
  | { readonly kind: 'found'; readonly slot: YamlSlot; readonly keys: readonly (string | number)[] }
  | {
      readonly kind: 'absent'
      readonly key: string | number
      /** The list or map it would be in, or the empty slot that would contain that. */
      readonly parent: YAMLMap | YAMLSeq | YamlSlot
      readonly keys: readonly (string | number)[]
    }
  | { readonly kind: 'unreachable'; readonly reason: string }

/** Follows a path from the root of a document parsed with `keepSourceTokens`. */
export function resolveYamlPath(root: unknown, path: readonly (string | number)[]): ResolvedPath {
  if (path.length === 0) return { kind: 'unreachable', reason: 'the whole file cannot be replaced' }
  const keys: (string | number)[] = []
  let holder: YamlSlot | undefined
  let node: unknown = root
  for (const [index, segment] of path.entries()) {
    const here = path.slice(0, index).join('.') || 'the top'
    const last = index === path.length - 1
    if (isAlias(node)) return { kind: 'unreachable', reason: `${here} is an alias; edit its anchor` }
    if (!isMap(node) && !isSeq(node)) {
      if (last && holder !== undefined && isNullNode(node)) {
        return { kind: 'absent', key: segment, parent: holder, keys: [...keys, segment] }
      }
      return { kind: 'unreachable', reason: `${here} was expected to be a list or a map` }
    }
    const slot = slotAt(node, segment)
    if (slot === undefined) {
      if (!last) return { kind: 'unreachable', reason: `${here} has no ${segment}` }
      return { kind: 'absent', key: segment, parent: node, keys: [...keys, segment] }
    }
    keys.push(keyOf(slot, segment))
    holder = slot
    node = slot.node
  }
  return holder === undefined
    ? { kind: 'unreachable', reason: 'the path is empty' }
    : { kind: 'found', slot: holder, keys }
}

/** Reports whether a node is null, written or empty. */
export function isNullNode(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null)
}

/** Returns the entries of a list or map that are in the source, in order. */
export function slotsOf(parent: YAMLMap | YAMLSeq): YamlSlot[] {
  if (isMap(parent)) {
    return parent.items.flatMap((pair: Pair, index) =>
      pair.srcToken === undefined ? [] : [{ parent, index, item: pair.srcToken, node: nodeOf(pair.value) }],
    )
  }
  const token = parent.srcToken
  if (token?.type !== 'block-seq' && token?.type !== 'flow-collection') return []
  // Trailing commas and comments are items of the source, too, without a value.
  const items = token.items.filter(
    (item: Item) =>
      item.value !== undefined || item.key != null || item.start.some((part) => part.type === 'seq-item-ind'),
  )
  return items.flatMap((item: Item, index) => [{ parent, index, item, node: nodeOf(parent.items[index]) }])
}

function slotAt(parent: YAMLMap | YAMLSeq, segment: string | number): YamlSlot | undefined {
  const slots = slotsOf(parent)
  if (isSeq(parent)) return slots.find((slot) => slot.index === segment)
  return slots.find((slot) => isMap(parent) && isWrittenAs(parent.items[slot.index]?.key, segment))
}

function keyOf(slot: YamlSlot, segment: string | number): string | number {
  const key = isMap(slot.parent) ? slot.parent.items[slot.index]?.key : undefined
  return isScalar(key) ? String(key.value) : segment
}

function nodeOf(value: unknown): Node | null {
  return isMap(value) || isSeq(value) || isScalar(value) || isAlias(value) ? value : null
}

/**
 * Reports whether a scalar has the value, or the value as its source text (`007` and `1.10`, where the exact
 * text matters).
 */
function isWrittenAs(node: unknown, value: unknown): boolean {
  if (!isScalar(node)) return false
  return node.value === value || String(node.value) === String(value) || (node.source ?? '') === String(value)
}

/**
 * Reports whether a node has the expected value; undefined means nothing: absent, null, an empty list or map.
 */
export function nodeEquals(node: Node | null, expected: YamlValue | undefined): boolean {
  if (expected === undefined)
    return isNullNode(node) || ((isMap(node) || isSeq(node)) && node.items.length === 0)
  if (expected === null) return isNullNode(node)
  if (typeof expected !== 'object') {
    if (!isScalar(node)) return false
    return node.value === expected || (typeof expected === 'string' && node.source === expected)
  }
  if (Array.isArray(expected)) {
    if (!isSeq(node) || node.items.length !== expected.length) return false
    return expected.every((item: YamlValue, index) => nodeEquals(nodeOf(node.items[index]), item))
  }
  const entries = Object.entries(expected)
  if (!isMap(node) || node.items.length !== entries.length) return false
  return entries.every(([key, item]) => {
    const slot = slotAt(node, key)
    return slot !== undefined && nodeEquals(slot.node, item)
  })
}
