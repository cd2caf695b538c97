import { isFiniteNumber, numberOf } from './cell.js'
import { type KeyRow, matchRows } from './match-rows.js'

export type ColumnMode = 'auto' | 'name' | 'position' | 'values'

/** For each expected column, the index of the actual one. */
export type Mapping = readonly number[]

/** What may pair the columns: one mapping, several ways to try, or why there is none. */
export type ColumnPlan =
  | { readonly kind: 'fixed'; readonly mapping: Mapping }
  /** By position, and where that does not match, by what the columns hold. */
  | { readonly kind: 'open'; readonly mapping: Mapping }
  | { readonly kind: 'mismatch'; readonly text: string }

/** How the columns pair up, by their names and number alone. Equal name sets decide, and nothing else is tried. */
export function planColumns(
  expected: readonly string[],
  actual: readonly string[],
  mode: ColumnMode,
): ColumnPlan {
  const byName = mode === 'auto' || mode === 'name' ? mappingByName(expected, actual) : undefined
  if (byName !== undefined) return { kind: 'fixed', mapping: byName }
  if (expected.length !== actual.length) return { kind: 'mismatch', text: countDifference(expected, actual) }
  if (mode === 'name') {
    return { kind: 'mismatch', text: `columns ${actual.join(', ')} instead of ${expected.join(', ')}` }
  }
  const position = expected.map((_, index) => index)
  return { kind: mode === 'position' ? 'fixed' : 'open', mapping: position }
}

/** By names without regard to case; undefined where they are not equal sets or one occurs twice. */
function mappingByName(expected: readonly string[], actual: readonly string[]): Mapping | undefined {
  const names = expected.map((name) => name.toLowerCase())
  const positions = new Map(actual.map((name, index) => [name.toLowerCase(), index]))
  if (positions.size !== actual.length || new Set(names).size !== actual.length) return undefined
  const mapping = names.map((name) => positions.get(name)).filter((index) => index !== undefined)
  return mapping.length === expected.length ? mapping : undefined
}

function countDifference(expected: readonly string[], actual: readonly string[]): string {
  const missing = without(expected, actual)
  const extra = without(actual, expected)
  if (missing.length === 0) return `column extra: ${extra.join(', ')}`
  if (extra.length === 0) return `column missing: ${missing.join(', ')}`
  return `${actual.length} columns (${actual.join(', ')}) instead of ${expected.length} (${expected.join(', ')})`
}

/** Names left when each of `taken` is removed once. */
function without(names: readonly string[], taken: readonly string[]): string[] {
  const left = taken.map((name) => name.toLowerCase())
  return names.filter((name) => {
    const at = left.indexOf(name.toLowerCase())
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Row comparisons in one search; columns that hold the same values are what it is spent on. */
const maxTries = 300

/**
 * A mapping by values under which the rows match: each expected column by a different actual one. Columns are
 * told apart by what they hold, then assigned one after the other, as long as the rows so far can be matched.
 */
export function mappingByValues(
  expected: readonly KeyRow[],
  actual: readonly KeyRow[],
  width: number,
  tolerance: number,
  accepts: (mapping: Mapping) => boolean,
): Mapping | undefined {
  const profiles = {
    expected: Array.from({ length: width }, (_, column) => profileOf(expected, column)),
    actual: Array.from({ length: width }, (_, column) => profileOf(actual, column)),
  }
  let tries = 0

  function assign(mapping: Mapping): Mapping | undefined {
    const column = mapping.length
    if (column === width) return accepts(mapping) ? mapping : undefined
    const own = profiles.expected[column]
    // The column in the same place first: queries seldom shuffle all.
    const order = [column, ...profiles.actual.keys()].filter((at, index) => index === 0 || at !== column)
    for (const candidate of order) {
      const other = profiles.actual[candidate]
      if (own === undefined || other === undefined || mapping.includes(candidate)) continue
      if (!maySame(own, other, tolerance) || tries++ >= maxTries) continue
      const longer = [...mapping, candidate]
      if (!prefixesMatch(expected, actual, longer, tolerance)) continue
      const found = assign(longer)
      if (found !== undefined) return found
    }
    return undefined
  }

  return assign([])
}

/** What a column holds, whatever the order of rows. */
interface Profile {
  /** Sum of hashes of the cells that are no finite numbers, and how many numbers there are. */
  readonly others: number
  readonly numbers: number
  readonly sum: number
  readonly magnitude: number
}

function profileOf(rows: readonly KeyRow[], column: number): Profile {
  let others = 0
  let numbers = 0
  let sum = 0
  let magnitude = 0
  for (const row of rows) {
    const key = row[column] ?? 'n'
    if (isFiniteNumber(key)) {
      numbers++
      sum += numberOf(key)
      magnitude += Math.abs(numberOf(key))
    } else others = (others + hash(key)) >>> 0
  }
  return { others, numbers, sum, magnitude }
}

/** A necessary condition of equal columns: what differs by tolerance in each cell differs by no more in the sum. */
function maySame(a: Profile, b: Profile, tolerance: number): boolean {
  const slack = (tolerance + 1e-9) * (a.magnitude + b.magnitude) + a.numbers * 1e-9
  return a.others === b.others && a.numbers === b.numbers && Math.abs(a.sum - b.sum) <= slack
}

function prefixesMatch(
  expected: readonly KeyRow[],
  actual: readonly KeyRow[],
  mapping: Mapping,
  tolerance: number,
): boolean {
  const left = expected.map((row) => row.slice(0, mapping.length))
  const right = actual.map((row) => mapping.map((column) => row[column] ?? 'n'))
  const { expected: missing, actual: extra } = matchRows(left, right, tolerance)
  return missing.length === 0 && extra.length === 0
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}
