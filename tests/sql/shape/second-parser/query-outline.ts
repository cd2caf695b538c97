/** What two parsers must agree on about a query, whatever their trees look like. Names are in lower case, lists sorted. */
export interface Outline {
  /** Tables read anywhere, without their schema; not the names of CTEs. */
  readonly tables: readonly string[]
  /** Columns named anywhere, and names of outputs that a clause refers to. */
  readonly columns: readonly string[]
  /** Texts and numbers written anywhere but as a position, a type's size or a limit. */
  readonly literals: readonly string[]
  /** Of sum, avg, min, max, count: those called anywhere. */
  readonly aggregates: readonly string[]
  /** Kinds of outer joins. */
  readonly joins: readonly string[]
  /** `union`, `intersect`, `except`, with ` all` where written. */
  readonly sets: readonly string[]
  readonly outputs: number | 'star'
  readonly distinct: boolean
  readonly groupBy: boolean
  readonly having: boolean
  /** Of the outermost query: whether each item is descending. */
  readonly orderBy: readonly boolean[]
  readonly limit: string | undefined
  readonly offset: string | undefined
}

export const aggregates: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max', 'count'])

export function sorted(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].sort()
}
