/** What a rule may take for granted: it changes no rows only where the assumption holds. */
export type AssumptionKind = 'ties' | 'foreign keys' | 'nulls' | 'rows' | 'types'

/** The kinds of assumption that are allowed, and in words those that rules made. */
export class Assumptions {
  readonly #allowed: ReadonlySet<AssumptionKind>
  readonly #made = new Set<string>()

  constructor(allowed: ReadonlySet<AssumptionKind>) {
    this.#allowed = allowed
  }

  allows(kind: AssumptionKind): boolean {
    return this.#allowed.has(kind)
  }

  /** Notes the assumption where its kind is allowed; false where it is not. */
  make(kind: AssumptionKind, text: string): boolean {
    if (!this.#allowed.has(kind)) return false
    this.#made.add(text)
    return true
  }

  get made(): readonly string[] {
    return [...this.#made].sort()
  }
}
