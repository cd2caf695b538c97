import type { Score } from '../../contracts/score.js'
import type { Value } from '../../engine/contract/engine.js'
import type { StructuralComparison } from '../../sql/index.js'
import type { JudgeFinding } from './judge-finding.js'

/** One way in which rows differ; cells are in the expected query's column order. */
export type RowDifference =
  | { readonly kind: 'columns'; readonly text: string }
  | { readonly kind: 'missing'; readonly row: readonly Value[] }
  | { readonly kind: 'extra'; readonly row: readonly Value[] }
  | {
      readonly kind: 'changed'
      readonly expected: readonly Value[]
      readonly actual: readonly Value[]
      readonly cells: readonly number[]
    }
  | { readonly kind: 'order'; readonly text: string }

export interface RowComparison {
  readonly match: boolean
  readonly expectedRows: number
  readonly actualRows: number
  /** Names of the expected columns. */
  readonly columns: readonly string[]
  /** The total number of differing rows; `differences` lists the first few. */
  readonly differing: number
  readonly differences: readonly RowDifference[]
  /** What a search left untried at its limit, in words; it may have missed a match. */
  readonly untried?: string | undefined
}

/** One fuzzed copy of a database: the same seed makes the same copy. */
export interface CopyName {
  readonly index: number
  readonly seed: number
  /** What the copy tests, in words: "ties and duplicate rows". */
  readonly title: string
}

/** The finding of running both queries on fuzzed copies of the database. */
export type CopyFinding =
  /** Equal rows on all of them; `informative`: the number of copies with rows. */
  | {
      readonly kind: 'match'
      readonly copies: number
      readonly informative: number
      /** What the columns have in common without which the rows would differ: "orders.ts: all at midnight". */
      readonly restsOn?: readonly string[] | undefined
    }
  /** Equal rows, but the copies cannot try what may tell the queries apart. */
  | { readonly kind: 'open'; readonly copies: number; readonly reason: string }
  /**
   * Equal rows, but too few copies had any, or the rows were the same everywhere: then `informative` is 0.
   */
  | { readonly kind: 'weak'; readonly copies: number; readonly informative: number }
  | { readonly kind: 'refuted'; readonly copy: CopyName; readonly comparison: RowComparison }
  /** The generated query fails on a copy where the expected one runs, in the engine's words. */
  | { readonly kind: 'fails'; readonly copy: CopyName; readonly message: string }
  /** `isSource`: the fault is in the database that the project configures as the source of copies. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly isSource?: true }

/** The finding of executing both queries. */
export type ResultFinding =
  | {
      readonly kind: 'match'
      readonly comparison: RowComparison
      readonly empty: boolean
      /** Undefined if no copy was used. */
      readonly copies?: Exclude<CopyFinding, { kind: 'refuted' | 'fails' }> | undefined
      /** A judge's answer, if one was asked. */
      readonly judge?: JudgeFinding | undefined
    }
  /** `copy`: the rows match on the database itself, and differ on this copy of it. */
  | { readonly kind: 'mismatch'; readonly comparison: RowComparison; readonly copy?: CopyName | undefined }
  /** A limit truncated one or both results, so nothing is known. */
  | {
      readonly kind: 'cut'
      readonly side: 'expected' | 'generated' | 'both'
      readonly message: string
      /** The engine has compared them, which proved nothing. */
      readonly inside?: true
    }
  /** The agent's query failed, was refused or was killed; `copy`: only on that copy. */
  | {
      readonly kind: 'generated_failed'
      readonly how: 'failed' | 'refused' | 'killed'
      readonly message: string
      /** Whether it was stopped at the deadline, which depends on the machine. */
      readonly isLate?: boolean
      readonly copy?: CopyName | undefined
    }
  | {
      readonly kind: 'expected_failed'
      readonly how: 'failed' | 'refused' | 'killed'
      readonly message: string
      /** What the set-up of the engine lacks: the query is not to blame. */
      readonly setup?: string | undefined
    }
  | { readonly kind: 'skipped'; readonly reason: string }

/** A comparator's finding on one query. */
export interface SqlScore extends Score {
  readonly structure?: StructuralComparison | undefined
  readonly results?: ResultFinding | undefined
}
