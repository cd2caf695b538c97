/** Events of a check of the benchmark or the knowledge base. */
export type CheckEvent =
  | { readonly kind: 'note'; readonly text: string }
  /** The reason for waiting, with a countdown; empty once the check continues. */
  | { readonly kind: 'waiting'; readonly text: string }
  | {
      readonly kind: 'case_checked'
      readonly done: number
      readonly total: number
      /** Changed queries that were tried so far; undefined where none are. */
      readonly mutants?: number | undefined
    }

/** The context of a check, beside its subject. */
export interface CheckContext {
  readonly listener: (event: CheckEvent) => void
  readonly signal: AbortSignal
  /** Where keys of models are. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
}
