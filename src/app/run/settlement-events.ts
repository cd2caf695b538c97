/** Events about the repairs in the working tree. Paths are relative to the root of the project. */
export type SettlementEvent =
  /** The repairs of these files only give back what the last commit has: there is nothing to decide. */
  | { readonly kind: 'matches_last_commit'; readonly paths: readonly string[] }
  | {
      readonly kind: 'repairs_uncommitted'
      readonly runId: string
      readonly repairs: number
      readonly paths: readonly string[]
      /** Where a single one is left of several: the repair to undo alone. */
      readonly repairId: string | undefined
      /** The repairs that could have been committed, where nobody was asked and there is a repository. */
      readonly preview: CommitPreview | undefined
    }
  | { readonly kind: 'repairs_kept'; readonly runId: string }
  | {
      readonly kind: 'repair_committed'
      /** Of the commit, in full. */
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
  | { readonly kind: 'no_repository'; readonly reason: string; readonly hint: string | undefined }
  | { readonly kind: 'repair_reverted'; readonly title: string }
  | { readonly kind: 'revert_failed'; readonly title: string; readonly reason: string }

export interface CommitPreview {
  /** How many repairs could be committed as things stand. */
  readonly committable: number
  /** Why others could not. */
  readonly reason: string | undefined
}
