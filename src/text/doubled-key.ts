const colon = /[ \t\r\n]*:/y

/**
 * Returns the first key that one object of a JSON text has twice; undefined if none has. Programs differ in which of the values they take.
 *
 * @param text valid JSON
 */
export function doubledKey(text: string): string | undefined {
  const objects: Set<string>[] = []
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '{') objects.push(new Set())
    else if (character === '}') objects.pop()
    else if (character === '"') {
      const end = endOfText(text, at)
      colon.lastIndex = end
      // Only a key has a colon behind it.
      if (colon.test(text)) {
        const key = String(JSON.parse(text.slice(at, end)))
        const keys = objects.at(-1)
        if (keys?.has(key) === true) return key
        keys?.add(key)
      }
      at = end - 1
    }
  }
  return undefined
}

function endOfText(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end + 1
}
