import { temporalKey } from './temporal-key.js'

/** A list, struct or map: its text without its numbers, and its numbers in order. */
export interface NestedValue {
  readonly frame: string
  readonly numbers: readonly (string | boolean)[]
}

const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const quoted = /'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"/y

/** Depth beyond which a value is compared as printed. */
const mostDepth = 100

/**
 * Parses a value as DuckDB prints it, or JSON: `[0.3, NULL]`, `{'a': 1, 'b': [2]}`, `{1: 'x'}`. Fields and
 * keys may be in any order. Undefined if it is none of these.
 */
export function parseNested(text: string): NestedValue | undefined {
  let at = 0
  const blanks = (): void => {
    while (/\s/.test(text[at] ?? '')) at++
  }

  function value(depth: number, ends: RegExp): NestedValue | undefined {
    blanks()
    if (depth > mostDepth) return undefined
    if (text[at] === '[') return items(']', depth, (inner) => value(inner, /[,\]}]/g))
    if (text[at] === '{') return items('}', depth, entry)
    return plain(ends)
  }

  function plain(ends: RegExp): NestedValue | undefined {
    quoted.lastIndex = at
    const [string] = quoted.exec(text) ?? []
    if (string !== undefined) {
      at += string.length
      return { frame: textIn(string), numbers: [] }
    }
    ends.lastIndex = at
    const end = ends.exec(text)?.index ?? text.length
    const word = text.slice(at, end).trim()
    at = end
    if (word === 'true' || word === 'false') return { frame: '#', numbers: [word === 'true'] }
    return numeral.test(word)
      ? { frame: '#', numbers: [word] }
      : { frame: temporalKey(word) ?? (word === 'NULL' ? 'null' : word), numbers: [] }
  }

  function entry(depth: number): NestedEntry | undefined {
    const key = value(depth, /: |[,\]}]/g)
    blanks()
    if (key === undefined || text[at] !== ':') return undefined
    at++
    const content = value(depth, /[,\]}]/g)
    return content === undefined
      ? undefined
      : {
          key: `${key.frame}\0${key.numbers.join()}`,
          frame: `${key.frame}:${content.frame}`,
          numbers: [...key.numbers, ...content.numbers],
        }
  }

  function items(
    close: string,
    depth: number,
    item: (depth: number) => NestedEntry | undefined,
  ): NestedValue | undefined {
    const open = text[at++]
    const found: NestedEntry[] = []
    blanks()
    while (text[at] !== close) {
      const one = item(depth + 1)
      if (one === undefined) return undefined
      found.push(one)
      blanks()
      if (text[at] === ',') at++
      else if (text[at] !== close) return undefined
    }
    at++
    const sorted = close === '}' ? lastOfEachKey(found).sort(byKey) : found
    return {
      frame: `${open}${sorted.map(({ frame }) => frame).join(',')}${close}`,
      numbers: sorted.flatMap(({ numbers }) => numbers),
    }
  }

  const read = /^[[{]/.test(text) ? value(0, /$/g) : undefined
  return at === text.length ? read : undefined
}

/** A member of a list has no key. */
interface NestedEntry extends NestedValue {
  readonly key?: string
}

/** JSON may repeat a name, of which the last counts. */
function lastOfEachKey(entries: readonly NestedEntry[]): NestedEntry[] {
  return [...new Map(entries.map((each) => [each.key, each])).values()]
}

/** Returns a text, number or truth value of JSON; undefined for other types and texts. */
export function jsonScalar(type: string, text: string): NestedValue | undefined {
  if (!/^jsonb?$/i.test(type)) return undefined
  const written = text.trim()
  if (written === 'true' || written === 'false') return { frame: '#', numbers: [written === 'true'] }
  if (numeral.test(written)) return { frame: '#', numbers: [written] }
  return written.startsWith('"') ? { frame: textIn(written), numbers: [] } : undefined
}

/** Orders entries by key. Keys that are numbers have the same frame. */
function byKey(one: NestedValue, other: NestedValue): number {
  const [a, b] = [one, other].map(({ frame, numbers }) => `${frame}\0${numbers[0] ?? ''}`)
  return (a ?? '') < (b ?? '') ? -1 : 1
}

/** Normalises a text, whichever quotes it is printed in. */
function textIn(string: string): string {
  if (string.startsWith("'")) return JSON.stringify(string.slice(1, -1).replaceAll("''", "'"))
  try {
    return JSON.stringify(JSON.parse(string))
  } catch {
    // Not JSON, but what an engine prints in such quotes.
    return string
  }
}
