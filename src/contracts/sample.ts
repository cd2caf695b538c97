/** Knowledge an answer depended on; `all` where the agent did not say. */
export type EntriesRead = 'all' | readonly string[]

/** One answer of the agent to one case. */
export type Sample =
  /** `text`: the query, or whatever else a case of its kind asks for. */
  | { readonly kind: 'answer'; readonly text: string; readonly read: EntriesRead; readonly ms: number }
  /** It abstained, and says why: a success of its own kind. */
  | { readonly kind: 'no_answer'; readonly message: string; readonly read: EntriesRead; readonly ms: number }
  /** The agent broke: threw, hung, or answered garbage. Infrastructure, never a wrong answer. */
  | {
      readonly kind: 'error'
      readonly message: string
      readonly detail?: string | undefined
      readonly ms: number
    }

/** The entries that a sample says it was made from; none where it does not say, or broke. */
export function entriesNamed(sample: Sample): readonly string[] {
  return sample.kind === 'error' || sample.read === 'all' ? [] : sample.read
}

/** Whether a sample may depend on one of the entries. */
export function readsAny(sample: Sample, entries: ReadonlySet<string>): boolean {
  return sample.kind !== 'error' && (sample.read === 'all' || sample.read.some((id) => entries.has(id)))
}
