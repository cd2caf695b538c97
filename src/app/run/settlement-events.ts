/** Events about the repairs in the working tree. Paths are relative to the root of the project. */
export type SettlementEvent =
  /** The repairs of these files only restore what the last commit has: there is nothing to decide. */
  | { readonly kind: 'matches_last_commit'; readonly paths: readonly string[] }
  | {
      readonly kind: 'repairs_uncommitted'
      readonly runId: string
      readonly repairs: number
      readonly paths: readonly string[]
      /** The repair to undo alone, if a single one of several is left. */
      readonly repairId: string | undefined
      /** The repairs that could have been committed, if nobody was asked and there is a repository. */
      readonly preview: CommitPreview | undefined
    }
  | { readonly kind: 'repairs_kept'; readonly runId: string }
  | {
      readonly kind: 'repair_committed'
      /** The full hash of the commit. */
      readonly hash: string
      readonly title: string
      readonly warning: string | undefined
    }
  | {
      readonly kind: 'commit_refused'
      /** The repairs concerned; undefined: all of them. */
      readonly titles: readonly string[] | undefined
      readonly reason: string
      readonly hint: string
    }
  | {
      readonly kind: 'no_repository'
      readonly runId: string
      readonly reason: string
      readonly hint: string | undefined
    }
  | { readonly kind: 'repair_reverted'; readonly title: string }
  | { readonly kind: 'revert_failed'; readonly title: string; readonly reason: string }

export interface CommitPreview {
  /** How many repairs could be committed at present. */
  readonly committable: number
  /** Why others could not. */
  readonly reason: string | undefined
}
