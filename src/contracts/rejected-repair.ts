/** A repair that a person rejected: it is not proposed again while its files and cases are what they were. */
export interface RejectedRepair {
  /** Unique in the project: six hexadecimal digits. */
  readonly id: string
  /** The repair in one line: "dau lost its time-zone filter". */
  readonly repair: string
  /** What it is about: `metric dau`. */
  readonly entry: string
  readonly reason: string
  /** `YYYY-MM-DD` */
  readonly date: string
  /** Who rejected it. */
  readonly by: string
  /** The run that proposed it. */
  readonly run: string
  /** Id of each case → hash of its question and what it expects. */
  readonly cases: ReadonlyMap<string, string>
  /** Each file before and after the repair; null where it does not exist. */
  readonly files: readonly {
    readonly path: string
    readonly before: string | null
    readonly after: string | null
    /** The text before the run, if an earlier repair of the run changed the file as well. */
    readonly base?: string | null | undefined
  }[]
}
