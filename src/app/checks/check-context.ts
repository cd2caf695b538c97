/** Events of a check of the benchmark or the knowledge base. */
export type CheckEvent =
  | { readonly kind: 'note'; readonly text: string }
  /** The reason for waiting, with a countdown; empty once the check continues. */
  | { readonly kind: 'waiting'; readonly text: string }
  | { readonly kind: 'calling'; readonly text: string }
  | {
      readonly kind: 'case_checked'
      readonly done: number
      readonly total: number
      /** Number of mutants tried so far; undefined if there are none. */
      readonly mutants?: number | undefined
    }

/** The context of a check, besides its subject. */
export interface CheckContext {
  readonly listener: (event: CheckEvent) => void
  readonly signal: AbortSignal
  /** Environment variables, for the API keys of models. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
}
