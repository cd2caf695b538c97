import { BinaryReader } from 'wasmparser'

// States of the reader and kinds of sections and exports, which its package declares for TypeScript only.
const endOfModule = 2
const beginSection = 3
const endSection = 4
const importEntry = 12
const exportEntry = 17
const startEntry = 22
const initialOperator = 26
const beginBody = 28
const codeOperator = 30
const endBody = 31
const codeSection = 10
const functionKind = 0

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
  const { imports, exports, initial, bodies, code } = readModule(module)
  const kept = new Set()
  const roots = exports.filter(({ name, kind }) => kind === functionKind && isWanted(name))
  const waiting = [...initial, ...roots.map(({ index }) => index)]
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (kept.has(index)) continue
    kept.add(index)
    waiting.push(...(bodies[index - imports]?.refersTo ?? []))
  }
  const count = leb128(bodies.length)
  const parts = [count]
  let start = code.start + count.length
  for (const [position, { end }] of bodies.entries()) {
    parts.push(kept.has(position + imports) ? module.subarray(start, end) : trap)
    start = end
  }
  const section = Buffer.concat(parts)
  const beforeSize = code.start - leb128(code.end - code.start).length
  return Buffer.concat([
    module.subarray(0, beforeSize),
    leb128(section.length),
    section,
    module.subarray(code.end),
  ])
}

/** What a module imports, exports and defines; functions are numbered, imported ones first. */
function readModule(module) {
  const reader = new BinaryReader()
  const { buffer, byteOffset, length } = module
  reader.setData(buffer.slice(byteOffset, byteOffset + length), 0, length)
  const found = { imports: 0, exports: [], initial: [], bodies: [], code: undefined }
  let section
  let body
  while (reader.read() && reader.state !== endOfModule) {
    const { state, result, position } = reader
    if (state === beginSection) section = { id: result.id, start: position }
    else if (state === endSection && section.id === codeSection) found.code = { ...section, end: position }
    else if (state === importEntry && result.kind === functionKind) found.imports++
    else if (state === exportEntry)
      found.exports.push({ ...result, name: Buffer.from(result.field).toString() })
    else if (state === startEntry) found.initial.push(result.index)
    else if (state === initialOperator && result.funcIndex !== undefined) found.initial.push(result.funcIndex)
    else if (state === beginBody) body = { refersTo: new Set() }
    else if (state === codeOperator && result.funcIndex !== undefined) body.refersTo.add(result.funcIndex)
    else if (state === endBody) found.bodies.push({ ...body, end: position })
  }
  if (reader.error !== null) throw reader.error
  return found
}

/** An unsigned number in as many bytes as it needs, as the format writes sizes. */
function leb128(number) {
  const bytes = []
  let rest = number
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest > 0 ? low + 128 : low)
  } while (rest > 0)
  return Buffer.from(bytes)
}
