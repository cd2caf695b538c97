/**
 * Assigns numbers to texts, from 0 in order of arrival, equal texts the same one. A `Map` of strings takes
 * twice the time and three times the memory, which matters for a million different texts.
 */
export interface StringTable {
  idOf(text: string): number
  textAt(id: number): string
}

const firstTexts = 256
const firstUnits = 4096

export function createStringTable(): StringTable {
  /** UTF-16 units of all texts, concatenated; text `id` starts at `starts[id]`. */
  let units = new Uint16Array(firstUnits)
  let starts = new Uint32Array(firstTexts + 1)
  let hashes = new Int32Array(firstTexts)
  /**
   * Open addressing: one more than the number of a text, 0 for an empty slot. At most half of them are used.
   */
  let slots = new Int32Array(2 * firstTexts)
  let count = 0
  let end = 0

  function isAt(id: number, text: string): boolean {
    const start = starts[id] ?? 0
    if ((starts[id + 1] ?? 0) - start !== text.length) return false
    for (let at = 0; at < text.length; at++) if (units[start + at] !== text.charCodeAt(at)) return false
    return true
  }

  function add(text: string, hash: number): number {
    if (count === hashes.length) growTexts()
    while (end + text.length > units.length) units = copied(units, new Uint16Array(2 * units.length))
    for (let at = 0; at < text.length; at++) units[end + at] = text.charCodeAt(at)
    end += text.length
    hashes[count] = hash
    starts[++count] = end
    return count - 1
  }

  function growTexts(): void {
    starts = copied(starts, new Uint32Array(2 * count + 1))
    hashes = copied(hashes, new Int32Array(2 * count))
    slots = new Int32Array(4 * count)
    for (let id = 0; id < count; id++) slots[freeSlot(hashes[id] ?? 0)] = id + 1
  }

  function freeSlot(hash: number): number {
    const mask = slots.length - 1
    let slot = hash & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    return slot
  }

  return {
    idOf(text) {
      const hash = hashOf(text)
      const mask = slots.length - 1
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const id = (slots[slot] ?? 0) - 1
        if (id < 0) break
        if (hashes[id] === hash && isAt(id, text)) return id
      }
      const id = add(text, hash)
      slots[freeSlot(hash)] = id + 1
      return id
    },
    textAt(id) {
      const start = starts[id] ?? 0
      const length = (starts[id + 1] ?? 0) - start
      return Buffer.from(units.buffer, 2 * start, 2 * length).toString('utf16le')
    },
  }
}

/** Computes FNV-1a, 32 bits, with its bits mixed into the lower ones. */
function hashOf(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value ^ (value >>> 15)
}

function copied<T extends Uint16Array | Uint32Array | Int32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
