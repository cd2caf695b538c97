// Repairs that only people can decide about, as stored and as asked.

interface ChangedLines {
  readonly path: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** A change, or the commit that made it, as reports name it. */
export interface ChangeReference {
  /** `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
  /** `YYYY-MM-DD` */
  readonly date: string | undefined
  readonly subject: string | undefined
  /** Both states of the lines that a question is about, as many as people read. */
  readonly lines?: ChangedLines | undefined
}

/** A repair that only people can decide about: what they wrote says that the knowledge is meant to be as it is. */
export interface QuestionDraft {
  readonly kind: 'conflicting_intent'
  /** The subject of the repair: `metric mrr`. */
  readonly subject: string
  /** In one sentence. */
  readonly question: string
  /** The change that the repair would undo; undefined if it contradicts a text of any age. */
  readonly change: ChangeReference | undefined
  /** What people wrote, and where: `kb/notes/revenue.md:12`. */
  readonly statements: readonly { readonly text: string; readonly place: string }[]
  /** The cases that ask for the repair. */
  readonly cases: readonly {
    readonly id: string
    readonly changed: ChangeReference | undefined
    /** What the knowledge gives now, to be expected instead. */
    readonly answer: string | undefined
  }[]
  readonly options: readonly QuestionOption[]
  /** Id of the repair that is proved and held; absent if none is. */
  readonly repair?: string | undefined
  /** Why no repair can be accepted yet; not stored. */
  readonly obstacle?: string | undefined
}

export interface QuestionOption {
  readonly answer: 'follow_benchmark' | 'follow_knowledge' | 'accept'
  /** How to carry it out, in words. */
  readonly how: string
}

/** A question as stored, until it is answered or expires. */
export interface QuestionRecord extends QuestionDraft {
  /** `q1`, `q2` … in the run. */
  readonly id: string
  /** ISO timestamps, UTC. */
  readonly askedAt: string
  readonly expiresAt: string
  readonly answer: QuestionOption['answer'] | undefined
  readonly answeredAt: string | undefined
}
