import type { ParseCache } from '../../src/sql/persistent-parse-cache.js'

/** A parse cache whose entries and number of reads can be looked at. */
export function inMemoryParseCache(): ParseCache & { readonly bodies: Map<string, string>; reads: number } {
  const bodies = new Map<string, string>()
  return {
    bodies,
    reads: 0,
    get isEmpty() {
      return bodies.size === 0
    },
    get(key) {
      this.reads++
      return bodies.get(key)
    },
    set: (key, body) => void bodies.set(key, body),
  }
}
