/** The context for applying and reverting repairs, besides the request. */
export interface RepairsContext {
  readonly onNote: (text: string) => void
  readonly now: () => Date
}
