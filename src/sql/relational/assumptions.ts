/** A kind of assumption that a rule may make: the rule preserves the rows only where the assumption holds. */
export type AssumptionKind = 'foreign keys' | 'nulls' | 'types' | 'ties'

/** The kinds of assumption that are allowed, and in words those that rules made. */
export class Assumptions {
  readonly #allowed: ReadonlySet<AssumptionKind>
  readonly #without: ReadonlySet<string>
  readonly #made = new Set<string>()
  readonly #ofQueries = new Set<string>()
  readonly #ofSchema = new Set<string>()
  readonly #subjects = new Map<string, string>()
  readonly #kinds = new Set<AssumptionKind>()
  readonly #contradicted = new Set<string>()
  #refused = new Set<AssumptionKind>()

  /** Whether the queries are in two dialects: then one may say in words what the other need not say. */
  readonly isCrossDialect: boolean
  /** Whether one of two dialects has no types for dates and times, so that texts of them stay texts. */
  readonly hasTextTimes: boolean

  /** @param without texts of assumptions that are not made, though their kind is allowed */
  constructor(
    allowed: ReadonlySet<AssumptionKind>,
    {
      without = new Set(),
      isCrossDialect = false,
      hasTextTimes = false,
    }: { without?: ReadonlySet<string>; isCrossDialect?: boolean; hasTextTimes?: boolean } = {},
  ) {
    this.#allowed = allowed
    this.#without = without
    this.isCrossDialect = isCrossDialect
    this.hasTextTimes = hasTextTimes
  }

  allows(kind: AssumptionKind): boolean {
    const isAllowed = this.#allowed.has(kind)
    ;(isAllowed ? this.#kinds : this.#refused).add(kind)
    return isAllowed
  }

  /** Notes the assumption where its kind is allowed; false where it is not. */
  assume(kind: AssumptionKind, text: string): boolean {
    const isMade = this.assumeDialectDefault(kind, text)
    if (isMade) this.#ofQueries.add(text)
    return isMade
  }

  /**
   * As `make`, of what two dialects do with the same thing, each in its way, unless they are told otherwise: where they
   * put NULLs, how they write numbers as texts. Neither author wrote what sets the queries apart.
   */
  assumeDialectDefault(kind: AssumptionKind, text: string): boolean {
    const isMade = this.assumeBeyondSchema(kind, text)
    if (isMade) this.#ofSchema.add(text)
    return isMade
  }

  /** As `assumeDialectDefault`, of something that no schema tells: collations, what is in JSON. */
  assumeBeyondSchema(kind: AssumptionKind, text: string): boolean {
    if (!this.allows(kind) || this.#without.has(text)) return false
    this.#made.add(text)
    return true
  }

  /** As `assume`, but only for one text about the subject: a second one would contradict the first. */
  assumeConsistently(kind: AssumptionKind, subject: string, text: string, ofHabit = false): boolean {
    const made = this.#subjects.get(subject)
    if (made !== undefined && made !== text) {
      if (this.#allowed.has(kind)) this.#contradicted.add(made)
      return false
    }
    if (!(ofHabit ? this.assumeDialectDefault(kind, text) : this.assume(kind, text))) return false
    this.#subjects.set(subject, text)
    return true
  }

  get made(): readonly string[] {
    return [...this.#made].sort()
  }

  /** Whether all assumptions are about defaults of the two dialects. */
  get areDialectDefaultsOnly(): boolean {
    return this.isCrossDialect && this.#ofQueries.size === 0
  }

  /** Whether a schema, had it told more, could have settled any of them. */
  get areBeyondSchema(): boolean {
    return this.#ofSchema.size === 0
  }

  /** The assumptions where a rule would have assumed something else about the same subject. */
  get contradicted(): ReadonlySet<string> {
    return this.#contradicted
  }

  /** The allowed kinds that rules asked for, in the order in which they are given up first. */
  get kinds(): readonly AssumptionKind[] {
    return (['ties', 'types', 'nulls', 'foreign keys'] as const).filter((kind) => this.#kinds.has(kind))
  }

  /**
   * The kinds that rules would have needed since this was last asked: without any, assuming more changes nothing of the
   * query that they were applied to.
   */
  takeRefused(): ReadonlySet<AssumptionKind> {
    const refused = this.#refused
    this.#refused = new Set()
    return refused
  }
}

/** Assumes that a column, named in words, holds days; not where it is already assumed to hold moments. */
export function assumeDays(column: string, assumptions: Assumptions, ofHabit = false): boolean {
  return assumptions.assumeConsistently('types', `times of ${column}`, `${column} holds days`, ofHabit)
}

/** Assumes that the column holds values that the words describe, none of which is a day. */
export function assumeTimes(column: string, words: string, assumptions: Assumptions): boolean {
  return assumptions.assumeConsistently('types', `times of ${column}`, `${column} holds ${words}`)
}
