/**
 * Encodes JSON with everything that a cell may contain: integers beyond 2^53 and the numbers that JSON cannot
 * represent (`{"$bigint": "9007199254740993"}`, `{"$number": "NaN"}`). Properties that are undefined are left
 * out.
 */
export function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return { $bigint: String(part) }
    if (typeof part !== 'number') return part
    if (Object.is(part, -0)) return { $number: '-0' }
    return Number.isFinite(part) ? part : { $number: String(part) }
  })
}

/**
 * Decodes a text that `encodeJson` wrote; the caller specifies its type, as only this room writes such text.
 */
export function decodeJson<T>(text: string): T {
  // A reviver is called for every value; texts without a mark do not need it.
  if (!text.includes('{"$')) return JSON.parse(text)
  return JSON.parse(text, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null) return part
    if ('$bigint' in part && typeof part.$bigint === 'string') return BigInt(part.$bigint)
    if ('$number' in part && typeof part.$number === 'string') return Number(part.$number)
    return part
  })
}
