import { BinaryReader } from 'wasmparser'
import { leb128, readLeb128, sized } from './encode.js'

// States of the reader and kinds of sections and exports, which its package declares for TypeScript only.
const endOfModule = 2
const beginSection = 3
const endSection = 4
const typeEntry = 11
const importEntry = 12
const functionEntry = 13
const exportEntry = 17
const startEntry = 22
const initialOperator = 26
const beginBody = 28
const codeOperator = 30
const endBody = 31
const functionKind = 0
export const sectionIds = { types: 1, functions: 3, code: 10 }

/**
 * What a module imports, exports and defines; functions are numbered, imported ones first.
 *
 * @param {Buffer} module
 * @param isTaken whether the operators of a body are kept, by its length in bytes
 * @param take what is told each such body, its number, and what was found so far: millions of operators are not kept
 */
export function readModule(module, isTaken = () => false, take = () => undefined) {
  const reader = new BinaryReader()
  const { buffer, byteOffset, length } = module
  reader.setData(buffer.slice(byteOffset, byteOffset + length), 0, length)
  const found = {
    imports: 0,
    types: [],
    /** The number of each function's type. */
    functionTypes: [],
    exports: [],
    initial: [],
    bodies: [],
    sections: [],
  }
  let sectionEnd = 8
  let section
  let body
  let before = 0
  while (reader.read() && reader.state !== endOfModule) {
    const { state, result, position } = reader
    if (state === beginSection) section = { id: result.id, from: sectionEnd, start: position }
    else if (state === endSection) {
      sectionEnd = position
      found.sections.push({ ...section, end: position })
    } else if (state === typeEntry) found.types.push(signature(result))
    else if (state === importEntry && result.kind === functionKind) {
      found.imports++
      found.functionTypes.push(result.funcTypeIndex)
    } else if (state === functionEntry) found.functionTypes.push(result.typeIndex)
    else if (state === exportEntry)
      found.exports.push({
        ...result,
        name: Buffer.from(result.field).toString(),
        isFunction: result.kind === functionKind,
      })
    else if (state === startEntry) found.initial.push(result.index)
    else if (state === initialOperator && result.funcIndex !== undefined) found.initial.push(result.funcIndex)
    else if (state === beginBody) {
      const start = found.bodies.at(-1)?.end ?? readLeb128(module, section.start).end
      const locals = result.locals.flatMap(({ count, type }) => new Array(count).fill(type.code))
      const operators = isTaken(readLeb128(module, start).value) ? [] : undefined
      body = { start, locals, refersTo: new Set(), operators }
    } else if (state === codeOperator) {
      if (result.funcIndex !== undefined) body.refersTo.add(result.funcIndex)
      body.operators?.push(asOperator(result, before, position - before))
    } else if (state === endBody) {
      if (body.operators !== undefined) take(body, found.bodies.length, found)
      found.bodies.push({ start: body.start, end: position, refersTo: body.refersTo })
    }
    before = position
  }
  if (reader.error !== null) throw reader.error
  return found
}

function signature({ params, returns }) {
  if (params === undefined) throw new Error('Types other than those of functions are not read')
  return { params: params.map(({ code }) => code), results: returns.map(({ code }) => code) }
}

function asOperator(result, at, size) {
  const { code, blockType, brDepth, brTable, funcIndex, typeIndex, localIndex } = result
  return {
    code,
    at,
    size,
    bytes: undefined,
    blockType: blockType?.code,
    depth: brDepth,
    targets: brTable,
    callee: funcIndex,
    type: typeIndex,
    local: localIndex,
  }
}

/** The module with other contents for some of its sections, by their numbers. */
export function withSections(module, sections, contents) {
  const parts = sections.map(({ id, from, end }) => {
    const content = contents.get(id)
    return content === undefined ? module.subarray(from, end) : Buffer.concat([leb128(id), sized(content)])
  })
  return Buffer.concat([module.subarray(0, 8), ...parts])
}
