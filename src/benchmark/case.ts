import type { Dialect } from '../enums/dialect.js'
import type { Policy } from '../enums/verdict-policy.js'

/** A position in a file; line and column count from 1. */
export interface SourceLocation {
  /** Path as a user would type it: relative to the working folder if that is shorter. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** How results of one case are compared; absent settings come from the configuration. */
export interface CaseCompareOptions {
  /** `auto`: row order counts if the expected query orders its outermost select. */
  readonly order?: 'auto' | 'ordered' | 'unordered' | undefined
  /** Relative tolerance for numbers that are not integers. */
  readonly tolerance?: number | undefined
  /** `auto`: by name if the name sets are equal, else by position, else by values. */
  readonly columns?: 'auto' | 'name' | 'position' | 'values' | undefined
  readonly policy?: Policy | undefined
}

/** Fields of every kind of case; `kind` is the discriminator. */
export interface BenchmarkCase {
  readonly kind: string
  readonly id: string
  /** The question, on one line of a report. */
  readonly question: string
  readonly tags: readonly string[]
  /** Where the case starts in its file. */
  readonly location: SourceLocation
  /** Why the case is known and cannot be evaluated: its file is not on disk; absent otherwise. */
  readonly notEvaluated?: string | undefined
}

/** One benchmark row: a question and the query with the correct result. */
export interface SqlCase extends BenchmarkCase {
  readonly kind: 'sql'
  readonly expectedSql: string
  /** Engine URL of the file, if it overrides the configuration's. */
  readonly engine?: string | undefined
  /** Dialect of `expectedSql`, if it is not the engine's. */
  readonly dialect?: Dialect | undefined
  /** ISO date (YYYY-MM-DD) that "last month" is relative to. */
  readonly asOf?: string | undefined
  readonly compare: CaseCompareOptions
  /** Where its `expected_sql` starts. */
  readonly sqlLocation: SourceLocation
}

export interface Benchmark<C extends BenchmarkCase = SqlCase> {
  readonly cases: readonly C[]
  /** Files read, as in `SourceLocation.file`, sorted. */
  readonly files: readonly string[]
}
