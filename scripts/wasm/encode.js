/** An unsigned number in as many bytes as it needs, as the format writes sizes. */
export function leb128(number) {
  const bytes = []
  let rest = number
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest > 0 ? low + 128 : low)
  } while (rest > 0)
  return Buffer.from(bytes)
}

/** The unsigned number that starts at a place, and where it ends. */
export function readLeb128(buffer, at) {
  let value = 0
  let end = at
  for (let scale = 1; ; scale *= 128) {
    const byte = buffer[end++]
    value += (byte % 128) * scale
    if (byte < 128) return { value, end }
  }
}

/** A vector as the format writes it: how many, then each. */
export function vector(items) {
  return Buffer.concat([leb128(items.length), ...items])
}

/** Bytes with their length before them. */
export function sized(bytes) {
  return Buffer.concat([leb128(bytes.length), bytes])
}

export const code = {
  unreachable: 0x00,
  nop: 0x01,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  drop: 0x1a,
  select: 0x1b,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i32Const: 0x41,
  i32Eq: 0x46,
}

/** Types of values as `wasmparser` numbers them: the signed reading of their byte. */
export const i32 = -1
export const noValue = -64
const typeNames = { [i32]: 'i32', [-2]: 'i64', [-3]: 'f32', [-4]: 'f64' }
export const isNumeric = (type) => type in typeNames
export const typeByte = (type) => Buffer.from([type + 128])

// Operators, as they are made here: what they are, their bytes, what they name. Those that the reader gives have, for
// want of room, the place of their bytes in the module instead (`at`).
const operator = (operatorCode, operand, named) => ({
  code: operatorCode,
  size: operand.length + 1,
  bytes: Buffer.concat([Buffer.from([operatorCode]), operand]),
  ...named,
})
const nothing = Buffer.alloc(0)
export const plain = (operatorCode) => operator(operatorCode, nothing, {})
export const onLocal = (operatorCode, local) => operator(operatorCode, leb128(local), { local })
export const branch = (operatorCode, depth) => operator(operatorCode, leb128(depth), { depth })
export const branchTable = (targets) =>
  operator(code.brTable, Buffer.concat([leb128(targets.length - 1), ...targets.map(leb128)]), { targets })
export const call = (callee) => operator(code.call, leb128(callee), { callee })
/** A number of 0 to 63, the same byte signed and unsigned. */
export const smallNumber = (number) => operator(code.i32Const, leb128(number), {})
/** A block whose type is that of one value, or the number of a type; numbers of types are below 8192. */
export const opening = (operatorCode, blockType) =>
  operator(operatorCode, blockType < 0 ? typeByte(blockType) : signedLeb128(blockType), { blockType })

const zeros = {
  [i32]: [0x41, 0],
  [-2]: [0x42, 0],
  [-3]: [0x43, 0, 0, 0, 0],
  [-4]: [0x44, 0, 0, 0, 0, 0, 0, 0, 0],
}
export function zero(type) {
  const [first, ...rest] = zeros[type]
  return operator(first, Buffer.from(rest), {})
}

/** A number that is not negative where the format reads signed ones: the highest bit says the sign. */
function signedLeb128(number) {
  const bytes = leb128(number)
  const last = bytes.at(-1)
  return last < 64 ? bytes : Buffer.from([...bytes.subarray(0, -1), last + 128, 0])
}

/** The bytes of operators that are those of a module or made. */
export function bytesOf(operators, module) {
  const all = Buffer.alloc(operators.reduce((length, { size }) => length + size, 0))
  let done = 0
  for (const { at, size, bytes } of operators) {
    if (bytes === undefined) module.copy(all, done, at, at + size)
    else bytes.copy(all, done)
    done += size
  }
  return all
}
