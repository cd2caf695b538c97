/** What a check of benchmark or knowledge tells while it goes on. */
export type CheckEvent =
  | { readonly kind: 'note'; readonly text: string }
  /** What is waited for, with a countdown; empty once it goes on. */
  | { readonly kind: 'waiting'; readonly text: string }
  | {
      readonly kind: 'case_checked'
      readonly done: number
      readonly total: number
      /** Changed queries that were tried so far; undefined where none are. */
      readonly mutants?: number | undefined
    }

/** What a check is given beside what it checks. */
export interface CheckContext {
  readonly listener: (event: CheckEvent) => void
  readonly signal: AbortSignal
  /** Where keys of models are. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
}
