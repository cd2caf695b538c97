import type { SqlCase } from '../benchmark/case.js'
import type { Edit, YamlEdit } from '../edit/edit.js'
import type { Interpretation } from '../kb/interpretation.js'
import type { Evaluation } from '../run/evaluate.js'
import type { TriageLabel } from '../store/records.js'

/** Why one case fails, and which knowledge is at fault. */
export interface Diagnosis {
  readonly evaluation: Evaluation
  readonly label: TriageLabel
  /** `metric dau`, or the question where no metric is known. */
  readonly subject: string
  /** In words, for the person who reads the report. */
  readonly cause: string
  /** Cases with one key are repaired together; undefined: this goes to a person. */
  readonly cluster: string | undefined
  readonly interpretation: Interpretation
  /** What gives the metric the names by which the cases of its cluster ask for it. */
  readonly aliasEdits?: readonly YamlEdit[] | undefined
}

/** Cases that fail from one cause. */
export interface Cluster {
  readonly key: string
  readonly label: TriageLabel
  readonly subject: string
  readonly diagnoses: readonly Diagnosis[]
}

/** Typed edits that should make the cases of a cluster pass, and why. */
export interface RepairPlan {
  readonly label: TriageLabel
  readonly subject: string
  /** One line: "dau: filter tz_type = 'local' was missing". */
  readonly title: string
  readonly reasoning: string
  readonly edits: readonly Edit[]
  /** Cases it is meant to fix. */
  readonly cases: readonly SqlCase[]
  /** Whether the expected queries were in sight when it was made; always, for `rules`. */
  readonly goldExposed: boolean
  /** Tokens or characters that change, to prefer the smallest plan. */
  readonly size: number
  /** Equal for plans that make the same change in different entries. */
  readonly signature: string
  /** What it writes stood there before, and was not made from the expected queries. */
  readonly isRestored?: true | undefined
  /** Files of which that is true, where it is not of all. */
  readonly restoredPaths?: readonly string[] | undefined
  /** What speaks against following one case alone, known when it was made. */
  readonly concerns?: readonly string[] | undefined
}

/** What a proposer may see: the knowledge, and the cases it learns from. */
export interface ProposalRequest {
  readonly label: TriageLabel
  readonly subject: string
  readonly diagnoses: readonly Diagnosis[]
}

export interface Proposals {
  /** Smallest first. */
  readonly plans: readonly RepairPlan[]
  /** Why there is none, in words. */
  readonly abstained?: string | undefined
}
