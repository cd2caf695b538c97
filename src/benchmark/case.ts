import type { Dialect } from '../enums/dialect.js'
import type { Policy } from '../enums/verdict-policy.js'

/** Where a piece of a file stands; line and column count from 1. */
export interface SourceLocation {
  /** Path as a person would type it: relative to the working folder where that is shorter. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** How results of one case are compared; what is absent comes from the configuration. */
export interface CaseCompareOptions {
  /** `auto`: row order counts where the expected query orders its outermost select. */
  readonly order?: 'auto' | 'ordered' | 'unordered' | undefined
  /** Relative tolerance for numbers that are not integers. */
  readonly tolerance?: number | undefined
  /** `auto`: by name where the name sets are equal, else by position, else by values. */
  readonly columns?: 'auto' | 'name' | 'position' | 'values' | undefined
  readonly policy?: Policy | undefined
}

/** One benchmark row: a question and the query whose answer is the truth. */
export interface SqlCase {
  readonly kind: 'sql'
  readonly id: string
  readonly question: string
  readonly expectedSql: string
  readonly tags: readonly string[]
  /** Engine URL of the file, where it overrides the configuration's. */
  readonly engine?: string | undefined
  /** Dialect of `expectedSql`, where it is not the engine's. */
  readonly dialect?: Dialect | undefined
  /** ISO date (YYYY-MM-DD) that "last month" is relative to. */
  readonly asOf?: string | undefined
  readonly compare: CaseCompareOptions
  /** Where the case starts in its file. */
  readonly location: SourceLocation
  /** Where its `expected_sql` starts. */
  readonly sqlLocation: SourceLocation
}

export interface Benchmark {
  readonly cases: readonly SqlCase[]
  /** Files read, as in `SourceLocation.file`, sorted. */
  readonly files: readonly string[]
}
