import type { ItemOffsets, YamlPath } from './yaml-tree.js'

/** The positions of the items of a long list, and of the keys of each. */
export interface ItemOffsetTable {
  /**
   * Adds an item.
   *
   * @param start offset of the item's text
   */
  add(places: ItemOffsets, start: number): void
  /**
   * Returns the offset in the text of `[list, index]` or `[list, index, key]`; undefined for anything else.
   */
  offsetOf(path: YamlPath): number | undefined
}

/**
 * Creates the table. Items usually have the same keys in the same order: one list of them is kept for all,
 * and all offsets in one array, since a map for each of 10,000 cases would take memory long after loading.
 */
export function createItemOffsetTable(): ItemOffsetTable {
  const known = new Map<string, readonly string[]>()
  const keysOf: (readonly string[])[] = []
  const firstOf: number[] = []
  const offsets: number[] = []
  return {
    add({ item, keys, offsets: own }, start) {
      const shape = keys.join('\n')
      const shared = known.get(shape) ?? keys
      known.set(shape, shared)
      keysOf.push(shared)
      firstOf.push(offsets.length)
      offsets.push(start + item, ...own.map((offset) => start + offset))
    },
    offsetOf([, index, name, ...rest]) {
      const first = typeof index === 'number' ? firstOf[index] : undefined
      if (typeof index !== 'number' || first === undefined || rest.length > 0) return undefined
      if (name === undefined) return offsets[first]
      const at = keysOf[index]?.indexOf(String(name)) ?? -1
      return at < 0 ? undefined : offsets[first + 1 + at]
    },
  }
}
