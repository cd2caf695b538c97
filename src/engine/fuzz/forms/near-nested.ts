import { perturbJson } from '../perturb-json.js'
import { perturbInteger, perturbNumber, perturbText } from '../perturb-values.js'
import { pick, type Random, shuffled } from '../seeded-random.js'
import type { ValueForm } from './value-form.js'

/** Returns another value of a form near a text. */
type NearText = (form: ValueForm, text: string, random: Random) => string | undefined

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/**
 * Returns JSON near another: as that of a text column, or without one of its names, or with a number as a text: JSON declares
 * neither.
 */
export function nearJson(text: string, random: Random): string | undefined {
  if (random.chance(0.7))
    return perturbJson(text, random, { text: perturbText, integer: perturbInteger, number: perturbNumber })
  const json = parsed(text)
  if (!isObject(json)) return typeof json === 'number' ? JSON.stringify(String(json)) : undefined
  const [name, value] = pick(Object.entries(json), random) ?? []
  if (name === undefined) return undefined
  if (typeof value === 'number') return JSON.stringify({ ...json, [name]: String(value) })
  const { [name]: _, ...others } = json
  return JSON.stringify(others)
}

/** Returns an array near another: with one element changed, in another order, longer or shorter. */
export function nearArray(
  text: string,
  { written, of }: Extract<ValueForm, { kind: 'array' }>,
  random: Random,
  nearText: NearText,
): string | undefined {
  const items = written === 'json' ? parsed(text) : bracesOf(text)
  if (!Array.isArray(items)) return undefined
  const changed = items.map((item) => item)
  const at = random.below(Math.max(1, items.length))
  const near = nearMember(of, items[at] ?? items.find((item) => item !== null) ?? null, random, nearText)
  switch (random.below(5)) {
    case 0:
      if (near !== undefined) changed[at] = near
      break
    case 1:
      changed.reverse()
      break
    case 2:
      changed.pop()
      break
    case 3:
      if (near !== undefined) changed.push(near)
      break
    default:
      changed.push(pick(items, random) ?? near ?? null)
  }
  const result = random.chance(0.2) ? shuffled(changed, random) : changed
  return written === 'json' ? JSON.stringify(result) : `{${result.map(inBraces).join(',')}}`
}

/** Returns a row near another: with one field changed. */
export function nearRow(
  text: string,
  fields: readonly ValueForm[],
  random: Random,
  nearText: NearText,
): string | undefined {
  const cells = parsed(text)
  if (!Array.isArray(cells)) return undefined
  const at = random.below(fields.length)
  const near = nearMember(fields[at] ?? { kind: 'held' }, cells[at] ?? null, random, nearText)
  return near === undefined
    ? undefined
    : JSON.stringify(cells.map((cell, place) => (place === at ? near : cell)))
}

/** Returns a map near another: with one value changed, or without one of its keys. */
export function nearMap(text: string, of: ValueForm, random: Random, nearText: NearText): string | undefined {
  const map = parsed(text)
  if (!isObject(map)) return undefined
  const [name, value] = pick(Object.entries(map), random) ?? []
  if (name === undefined) return undefined
  const { [name]: _, ...others } = map
  if (random.chance(0.3)) return JSON.stringify(others)
  const near = nearMember(of, value ?? null, random, nearText)
  return near === undefined ? undefined : JSON.stringify({ ...map, [name]: near })
}

function nearMember(form: ValueForm, value: Json, random: Random, nearText: NearText): Json | undefined {
  if (value === null) return undefined
  if (typeof value === 'boolean') return !value
  if (typeof value === 'object') {
    const near = nearText(form, JSON.stringify(value), random)
    return near === undefined ? undefined : parsed(near)
  }
  const near = nearText(form, String(value), random)
  return near === undefined || typeof value === 'string' ? near : Number(near)
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(json: Json | undefined): json is { [name: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** Returns the elements of an array of one dimension; undefined for others. */
function bracesOf(text: string): Json[] | undefined {
  if (!/^\{[^{}]*\}$/su.test(text)) return undefined
  const inner = text.slice(1, -1)
  if (inner === '') return []
  return [...inner.matchAll(/"((?:[^"\\]|\\.)*)"|([^,"]+)/gsu)].map(([, quoted, plain = '']) => {
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/gsu, '$1')
    return plain === 'NULL' ? null : plain
  })
}

function inBraces(item: Json): string {
  return item === null ? 'NULL' : `"${String(item).replaceAll(/["\\]/gu, '\\$&')}"`
}
