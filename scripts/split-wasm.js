import { bytesOf, leb128, readLeb128, sized, typeByte, vector } from './wasm/encode.js'
import { liveLocals } from './wasm/liveness.js'
import { readModule, sectionIds, withSections } from './wasm/module.js'
import { outline } from './wasm/outline.js'
import { chooseRegions, wideRegions } from './wasm/regions.js'
import { readTree } from './wasm/tree.js'

/**
 * - `least`: bodies of fewer bytes are not looked at
 * - `over`: bodies of more bytes are split, into functions of `smallest` to `largest` bytes
 * - `mostResults`: V8 gives two results in registers, more on the stack. With dozens, queries failed on Node 20 and 22
 *   once both of V8's compilers had a part in the code, and with neither of them alone
 * - `widest`: blocks to whose end more branches lead become functions that return
 * - `rounds`: how often a function is split, calls being shorter than what they stand for
 */
const limits = {
  least: 1024,
  over: 16_384,
  smallest: 100,
  largest: 8192,
  mostResults: 2,
  widest: 64,
  rounds: 8,
}

/**
 * A WebAssembly module whose large functions are split: runs of their statements become functions of their own.
 * Functions are added at the end, so that nothing is renumbered.
 *
 * @param {Buffer} module
 * @returns {Buffer}
 */
export function splitWasm(module, { least, rounds, ...sizes } = limits) {
  let added
  const changed = new Map()
  const isTaken = (size) => size > least
  const { sections, bodies } = readModule(module, isTaken, ({ locals, operators }, position, found) => {
    added ??= additions(found, module)
    const { params, results } = found.types[found.functionTypes[found.imports + position]]
    const source = { params, results, locals: [...params, ...locals], operators }
    let round = 0
    while (round < rounds && split(source, sizes, added)) round++
    if (round > 0) changed.set(position, bodyOf(source.locals.slice(params.length), source.operators, module))
  })
  if (added === undefined) return module
  const section = (id) => sections.find((one) => one.id === id)
  const extended = (id, more) => {
    const { start, end } = section(id)
    const { value, end: from } = readLeb128(module, start)
    return Buffer.concat([leb128(value + more.length), module.subarray(from, end), ...more])
  }
  const kept = bodies.map(({ start, end }, position) => changed.get(position) ?? module.subarray(start, end))
  const contents = new Map([
    [sectionIds.types, extended(sectionIds.types, added.types)],
    [
      sectionIds.functions,
      extended(
        sectionIds.functions,
        added.functions.map(({ type }) => leb128(type)),
      ),
    ],
    [sectionIds.code, vector([...kept, ...added.functions.map(({ body }) => body)])],
  ])
  return withSections(module, sections, contents)
}

/** The types and functions that are added, each once. */
function additions({ types, functionTypes }, module) {
  const key = (params, results) => `${params.join()}>${results.join()}`
  const typeNumbers = new Map(types.map(({ params, results }, index) => [key(params, results), index]))
  const numbers = new Map()
  const added = {
    typesOfAll: [...types],
    functionTypes: [...functionTypes],
    types: [],
    functions: [],
    addType(params, results) {
      const known = typeNumbers.get(key(params, results))
      if (known !== undefined) return known
      const number = added.typesOfAll.length
      added.typesOfAll.push({ params, results })
      added.types.push(
        Buffer.concat([Buffer.from([0x60]), vector(params.map(typeByte)), vector(results.map(typeByte))]),
      )
      typeNumbers.set(key(params, results), number)
      return number
    },
    addFunction(params, results, operators, locals) {
      const type = added.addType(params, results)
      const body = bodyOf(locals, operators, module)
      const same = `${type} ${body.toString('latin1')}`
      const known = numbers.get(same)
      if (known !== undefined) return known
      const number = functionTypes.length + added.functions.length
      added.functions.push({ type, body })
      added.functionTypes.push(type)
      numbers.set(same, number)
      return number
    },
  }
  return added
}

/** Splits a function once; what is left may be split again, calls taking less than what they stand for. */
function split(source, sizes, added) {
  const { operators, results } = source
  const root = readTree(operators, results, { types: added.typesOfAll, functionTypes: added.functionTypes })
  if (root === undefined) return false
  const offsets = [0]
  for (const { size } of operators) offsets.push(offsets.at(-1) + size)
  const known = { offsets, live: liveLocals(operators) }
  let regions = offsets.at(-1) > sizes.over ? chooseRegions(root, known, sizes) : []
  if (regions.length === 0) regions = wideRegions(root, known, sizes)
  const temporaries = new Map()
  const types = [...source.locals]
  const temporary = (type, index) => {
    const key = `${type} ${index}`
    if (!temporaries.has(key)) temporaries.set(key, types.push(type) - 1)
    return temporaries.get(key)
  }
  const left = []
  const keep = (some) => {
    for (const operator of some) left.push(operator)
  }
  let done = 0
  for (const region of regions.toSorted((a, b) => a.from - b.from)) {
    keep(operators.slice(done, region.from))
    keep(outline(region, { ...source, temporary }, added))
    done = region.to
  }
  keep(operators.slice(done))
  source.operators = left
  source.locals = types
  return regions.length > 0
}

function bodyOf(locals, operators, module) {
  const groups = []
  for (const type of locals) {
    if (groups.at(-1)?.type === type) groups.at(-1).count++
    else groups.push({ type, count: 1 })
  }
  const declared = vector(groups.map(({ type, count }) => Buffer.concat([leb128(count), typeByte(type)])))
  return sized(Buffer.concat([declared, bytesOf(operators, module)]))
}
