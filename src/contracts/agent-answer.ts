/** Knowledge an answer depended on; `all` if the agent did not list it. */
export type EntriesRead = 'all' | readonly string[]

/** One answer of the agent to one case. */
export type Sample = {
  /** What an agent with tools did: a `Trace`. */
  readonly trace?: unknown
  /** Where the question stood beside a query in what the agent read: `kb/notes/sales.md:9`; absent: nowhere. */
  readonly ownExample?: string | undefined
  /**
   * Whether the query at `ownExample` was compared with the expected one because nothing else answers the question: a check of
   * the knowledge, and no answer of an agent.
   */
  readonly isCompared?: true | undefined
} /** `text`: the query, or whatever else a case of its kind asks for. */ & (
  | { readonly kind: 'answer'; readonly text: string; readonly read: EntriesRead; readonly ms: number }
  /** The agent abstained, with the reason: a valid result of its own kind. */
  | {
      readonly kind: 'no_answer'
      readonly message: string
      readonly read: EntriesRead
      readonly ms: number
      /** Whether the question was not asked, because a part of the project that it needs is not there. */
      readonly notEvaluated?: true | undefined
    }
  /** The agent answered, but in no form that can be read: a wrong answer, whatever it knew. */
  | { readonly kind: 'unreadable'; readonly message: string; readonly read: EntriesRead; readonly ms: number }
  /** The agent failed: it threw, hung, or gave an invalid answer. Infrastructure, never a wrong answer. */
  | {
      readonly kind: 'error'
      readonly message: string
      readonly detail?: string | undefined
      readonly ms: number
    }
)

/** Reports whether an answer may be a copy of an example: then it proves nothing. */
export function isCopy({ ownExample, isCompared }: Sample): boolean {
  return ownExample !== undefined && isCompared !== true
}

/** Returns the entries that a sample lists as its sources; none if it lists none, or failed. */
export function entriesNamed(sample: Sample): readonly string[] {
  return sample.kind === 'error' || sample.read === 'all' ? [] : sample.read
}

/** Reports whether a sample may depend on one of the entries. */
export function readsAny(sample: Sample, entries: ReadonlySet<string>): boolean {
  return sample.kind !== 'error' && (sample.read === 'all' || sample.read.some((id) => entries.has(id)))
}
