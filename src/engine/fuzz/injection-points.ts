import type { ComparedLiteral } from '../../sql/index.js'
import { quoteName, quoteText } from '../query/quote-names.js'
import type { InjectionTarget } from './injection-target.js'

/** Where values are injected: a column, a member of the JSON or of the struct in it, or its list. */
export interface InjectionPoint {
  /** The expression by which queries read it, as SQL. */
  readonly readExpression: string
  /**
   * Returns the column's new value with the literal written into it, as SQL, for rows that satisfy the
   * condition.
   */
  readonly assignExpression: (literal: string) => string
  readonly condition: string
  readonly kind: 'column' | 'json' | 'struct' | 'list'
  readonly values: readonly ComparedLiteral[]
}

/** Returns the places in a column at which values are injected. */
export async function findInjectionPoints(
  target: InjectionTarget,
  table: string,
  name: string,
  values: readonly ComparedLiteral[],
): Promise<readonly InjectionPoint[]> {
  const column = quoteName(name)
  const members = values.filter(({ role }) => role === 'member')
  const whole = values.filter(({ path, role }) => path === undefined && role !== 'member')
  const spots: InjectionPoint[] = []
  if (whole.length > 0) {
    spots.push({
      readExpression: column,
      assignExpression: (literal) => literal,
      condition: 'true',
      kind: 'column',
      values: whole,
    })
  }
  if (members.length > 0) {
    spots.push({
      readExpression: `unnest(${column})`,
      assignExpression: (literal) => `list_append(${column}, ${literal})`,
      condition: 'true',
      kind: 'list',
      values: members,
    })
  }
  const paths = byPath(values)
  const declared =
    paths.size > 0 ? await target.queryTexts(`SELECT typeof(${column}) FROM ${table} LIMIT 1`) : []
  const isStruct = declared?.[0]?.startsWith('STRUCT') === true
  for (const [key, inside] of paths) {
    const path: readonly string[] = JSON.parse(key)
    if (isStruct) {
      spots.push(structInjectionPoint(column, path, inside))
      continue
    }
    const spot = jsonInjectionPoint(target, column, path, inside)
    const types = await target.queryTexts(
      `SELECT DISTINCT json_type(${column}, ${jsonPath(path)}) FROM ${table} WHERE ${spot.condition} AND ${spot.readExpression} IS NOT NULL`,
    )
    // Booleans are skipped, as they may be read as a number or as a text; nested values are read by longer
    // paths.
    if (types?.every((type) => !/^(?:true|false|boolean|object|array)$/iu.test(type)) === true)
      spots.push(spot)
  }
  return spots
}

function jsonInjectionPoint(
  { jsonPatch }: InjectionTarget,
  column: string,
  path: readonly string[],
  values: readonly ComparedLiteral[],
): InjectionPoint {
  return {
    readExpression: `(${column} ->> ${jsonPath(path)})`,
    assignExpression: (literal) =>
      `${jsonPatch}(${column}, ${path.reduceRight((value, name) => `json_object(${quoteText(name)}, ${value})`, literal)})`,
    condition: `json_valid(${column})`,
    kind: 'json',
    values,
  }
}

function structInjectionPoint(
  column: string,
  path: readonly string[],
  values: readonly ComparedLiteral[],
): InjectionPoint {
  const field = (names: readonly string[]): string =>
    names.reduce((whole, name) => `struct_extract(${whole}, ${quoteText(name)})`, column)
  return {
    readExpression: field(path),
    assignExpression: (literal) =>
      path.reduceRight(
        (value, name, at) => `struct_update(${field(path.slice(0, at))}, ${quoteName(name)} := ${value})`,
        literal,
      ),
    condition: `${field(path.slice(0, -1))} IS NOT NULL`,
    kind: 'struct',
    values,
  }
}

function byPath(values: readonly ComparedLiteral[]): ReadonlyMap<string, readonly ComparedLiteral[]> {
  const paths = new Map<string, ComparedLiteral[]>()
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
