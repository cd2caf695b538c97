import { pick, type Random } from './seeded-random.js'

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Changes a text or number in JSON as in a separate column. */
export interface LeafPerturbers {
  readonly text: (text: string, random: Random) => string
  readonly integer: (value: bigint, random: Random) => bigint
  readonly number: (value: number, random: Random) => number
}

/** Reports whether a text is treated as JSON: an object or a list. */
export function isJson(text: string): boolean {
  return parseContainer(text) !== undefined
}

/**
 * Returns a JSON object or list near another: one value in it is changed, or a list is one item longer or
 * shorter. Names stay, as queries access values by them. Returns the text itself if nothing can be changed,
 * or if a number would get another form.
 */
export function perturbJson(text: string, random: Random, near: LeafPerturbers): string {
  const json = parseContainer(text)
  // `1.0` would be written as `1`, which SQLite divides differently.
  if (json === undefined || /\d\.\d*0(?!\d)|\d{16}/.test(text)) return text
  const change = pick(possibleEdits(json, random, near), random)
  if (change === undefined) return text
  change()
  return JSON.stringify(json)
}

function parseContainer(text: string): Json[] | { [name: string]: Json } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function possibleEdits(json: Json, random: Random, near: LeafPerturbers): (() => void)[] {
  if (typeof json !== 'object' || json === null) return []
  const inner = Object.entries(json).flatMap(([name, value]) => {
    const leaf = perturbLeaf(value, random, near)
    return leaf === undefined
      ? possibleEdits(value, random, near)
      : [() => void Reflect.set(json, name, leaf)]
  })
  if (!Array.isArray(json)) return inner
  const last = json.at(-1)
  return last === undefined ? inner : [...inner, () => void json.push(last), () => void json.pop()]
}

function perturbLeaf(value: Json, random: Random, near: LeafPerturbers): Json | undefined {
  if (typeof value === 'string') return near.text(value, random)
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'number') return undefined
  return Number.isSafeInteger(value)
    ? Number(near.integer(BigInt(value), random))
    : near.number(value, random)
}
