import { vector } from './wasm/encode.js'
import { readModule, sectionIds, withSections } from './wasm/module.js'

/** The body of a function that traps: three bytes, no locals, `unreachable`, `end`. */
const trap = Buffer.from([3, 0, 0, 0x0b])

/**
 * A WebAssembly module without the bodies of functions that only exports other than the wanted ones reach. All else
 * stays, numbers of functions and exports included: what was left out traps where it is called. Functions of tables
 * stay, since calls through a table do not say which.
 *
 * @param {Buffer} module
 * @param {(name: string) => boolean} isWanted of an export
 * @returns {Buffer}
 */
export function pruneWasm(module, isWanted) {
  const { imports, exports, initial, bodies, sections } = readModule(module)
  const kept = new Set()
  const roots = exports.filter(({ name, isFunction }) => isFunction && isWanted(name))
  const waiting = [...initial, ...roots.map(({ index }) => index)]
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (kept.has(index)) continue
    kept.add(index)
    waiting.push(...(bodies[index - imports]?.refersTo ?? []))
  }
  const parts = bodies.map(({ start, end }, position) =>
    kept.has(position + imports) ? module.subarray(start, end) : trap,
  )
  return withSections(module, sections, new Map([[sectionIds.code, vector(parts)]]))
}
