/** What applying and reverting repairs are given beside their requests. */
export interface RepairsContext {
  readonly onNote: (text: string) => void
  readonly now: () => Date
}
