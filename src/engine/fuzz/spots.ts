import type { ComparedValue } from '../../sql/compared/compared-values.js'
import { quoteName, quoteText } from '../quote.js'
import type { PlaceTarget } from './place-target.js'

/** Where values go: a column, a member of the JSON or of the struct that it holds, or its list. */
export interface Spot {
  /** What queries read there, as SQL. */
  readonly reads: string
  /** What the column holds once the literal stands there, as SQL, of rows that satisfy the condition. */
  readonly holding: (literal: string) => string
  readonly condition: string
  readonly kind: 'column' | 'json' | 'struct' | 'list'
  readonly values: readonly ComparedValue[]
}

/** The places in a column that values are for. */
export async function spotsIn(
  target: PlaceTarget,
  table: string,
  name: string,
  values: readonly ComparedValue[],
): Promise<readonly Spot[]> {
  const column = quoteName(name)
  const members = values.filter(({ role }) => role === 'member')
  const whole = values.filter(({ path, role }) => path === undefined && role !== 'member')
  const spots: Spot[] = []
  if (whole.length > 0) {
    spots.push({
      reads: column,
      holding: (literal) => literal,
      condition: 'true',
      kind: 'column',
      values: whole,
    })
  }
  if (members.length > 0) {
    spots.push({
      reads: `unnest(${column})`,
      holding: (literal) => `list_append(${column}, ${literal})`,
      condition: 'true',
      kind: 'list',
      values: members,
    })
  }
  const paths = byPath(values)
  const declared = paths.size > 0 ? await target.texts(`SELECT typeof(${column}) FROM ${table} LIMIT 1`) : []
  const isStruct = declared?.[0]?.startsWith('STRUCT') === true
  for (const [key, inside] of paths) {
    const path: readonly string[] = JSON.parse(key)
    if (isStruct) {
      spots.push(insideStruct(column, path, inside))
      continue
    }
    const spot = insideJson(target, column, path, inside)
    const types = await target.texts(
      `SELECT DISTINCT json_type(${column}, ${jsonPath(path)}) FROM ${table} WHERE ${spot.condition} AND ${spot.reads} IS NOT NULL`,
    )
    // A truth value reads as a number or as a text, and what holds others is read by longer paths.
    if (types?.every((type) => !/^(?:true|false|boolean|object|array)$/iu.test(type)) === true)
      spots.push(spot)
  }
  return spots
}

function insideJson(
  { jsonPatch }: PlaceTarget,
  column: string,
  path: readonly string[],
  values: readonly ComparedValue[],
): Spot {
  return {
    reads: `(${column} ->> ${jsonPath(path)})`,
    holding: (literal) =>
      `${jsonPatch}(${column}, ${path.reduceRight((value, name) => `json_object(${quoteText(name)}, ${value})`, literal)})`,
    condition: `json_valid(${column})`,
    kind: 'json',
    values,
  }
}

function insideStruct(column: string, path: readonly string[], values: readonly ComparedValue[]): Spot {
  const field = (names: readonly string[]): string =>
    names.reduce((whole, name) => `struct_extract(${whole}, ${quoteText(name)})`, column)
  return {
    reads: field(path),
    holding: (literal) =>
      path.reduceRight(
        (value, name, at) => `struct_update(${field(path.slice(0, at))}, ${quoteName(name)} := ${value})`,
        literal,
      ),
    condition: `${field(path.slice(0, -1))} IS NOT NULL`,
    kind: 'struct',
    values,
  }
}

function byPath(values: readonly ComparedValue[]): ReadonlyMap<string, readonly ComparedValue[]> {
  const paths = new Map<string, ComparedValue[]>()
  for (const value of values) {
    if (value.path === undefined) continue
    const key = JSON.stringify(value.path)
    paths.set(key, [...(paths.get(key) ?? []), value])
  }
  return paths
}

function jsonPath(path: readonly string[]): string {
  return quoteText(`$${path.map((name) => `."${name}"`).join('')}`)
}
