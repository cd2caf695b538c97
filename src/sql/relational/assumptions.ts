/** What a rule may take for granted: it changes no rows only where the assumption holds. */
export type AssumptionKind = 'foreign keys' | 'nulls' | 'types'

/** The kinds of assumption that are allowed, and in words those that rules made. */
export class Assumptions {
  readonly #allowed: ReadonlySet<AssumptionKind>
  readonly #made = new Set<string>()
  readonly #kinds = new Set<AssumptionKind>()
  readonly #refused = new Set<AssumptionKind>()

  constructor(allowed: ReadonlySet<AssumptionKind>) {
    this.#allowed = allowed
  }

  allows(kind: AssumptionKind): boolean {
    const isAllowed = this.#allowed.has(kind)
    ;(isAllowed ? this.#kinds : this.#refused).add(kind)
    return isAllowed
  }

  /** Notes the assumption where its kind is allowed; false where it is not. */
  make(kind: AssumptionKind, text: string): boolean {
    if (!this.allows(kind)) return false
    this.#made.add(text)
    return true
  }

  get made(): readonly string[] {
    return [...this.#made].sort()
  }

  /** The allowed kinds that rules asked for, in the order in which they are given up first. */
  get kinds(): readonly AssumptionKind[] {
    return (['types', 'nulls', 'foreign keys'] as const).filter((kind) => this.#kinds.has(kind))
  }

  /** The kinds that rules would have needed: without any, assuming more changes nothing. */
  get refused(): ReadonlySet<AssumptionKind> {
    return this.#refused
  }
}
