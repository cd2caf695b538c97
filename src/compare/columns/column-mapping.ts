export type ColumnMode = 'auto' | 'name' | 'position' | 'values'

/** For each expected column, the index of the actual one. */
export type ColumnMapping = readonly number[]

/** How the columns may be paired: by one mapping, by several to try, or not at all, with the reason. */
export type ColumnPlan =
  | { readonly kind: 'fixed'; readonly mapping: ColumnMapping }
  /** By position, and if that does not match, by the columns' values. */
  | { readonly kind: 'open'; readonly mapping: ColumnMapping }
  | { readonly kind: 'mismatch'; readonly text: string }

/**
 * Plans the pairing of columns from their names and number alone. If the name sets are equal, nothing else is
 * tried.
 */
export function planColumns(
  expected: readonly string[],
  actual: readonly string[],
  mode: ColumnMode,
): ColumnPlan {
  const byName = mode === 'auto' || mode === 'name' ? mappingByName(expected, actual) : undefined
  if (byName !== undefined) return { kind: 'fixed', mapping: byName }
  if (expected.length !== actual.length) return { kind: 'mismatch', text: countDifference(expected, actual) }
  if (mode === 'name') {
    return { kind: 'mismatch', text: `columns ${listed(actual)} instead of ${listed(expected)}` }
  }
  const position = expected.map((_, index) => index)
  return { kind: mode === 'position' ? 'fixed' : 'open', mapping: position }
}

/** Maps columns by names, ignoring case; undefined if the name sets differ or a name occurs twice. */
function mappingByName(expected: readonly string[], actual: readonly string[]): ColumnMapping | undefined {
  const names = expected.map((name) => name.toLowerCase())
  const positions = new Map(actual.map((name, index) => [name.toLowerCase(), index]))
  const unique = positions.size === actual.length && new Set(names).size === names.length
  if (!unique || names.length !== actual.length) return undefined
  const mapping = names.map((name) => positions.get(name)).filter((index) => index !== undefined)
  return mapping.length === expected.length ? mapping : undefined
}

function countDifference(expected: readonly string[], actual: readonly string[]): string {
  const missing = multisetDifference(expected, actual)
  const extra = multisetDifference(actual, expected)
  if (missing.length === 0) return `column extra: ${listed(extra)}`
  if (extra.length === 0) return `column missing: ${listed(missing)}`
  return `${actual.length} columns (${listed(actual)}) instead of ${expected.length} (${listed(expected)})`
}

const mostListed = 12

function listed(names: readonly string[]): string {
  const more = names.length - mostListed
  return names.slice(0, mostListed).join(', ') + (more > 0 ? `, … ${more} more` : '')
}

/** Returns the names that are left when each of `taken` is removed once. */
function multisetDifference(names: readonly string[], taken: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const name of taken) left.set(name.toLowerCase(), (left.get(name.toLowerCase()) ?? 0) + 1)
  return names.filter((name) => {
    const count = left.get(name.toLowerCase()) ?? 0
    left.set(name.toLowerCase(), count - 1)
    return count <= 0
  })
}
