import type { DomainTypes } from '../../contracts/domain-types.js'
import type { Evaluation } from '../../run/evaluate-case.js'
import type { TriageLabel } from '../../store/record-types.js'

/** Why one case fails, and which part of the knowledge is at fault. */
export interface Diagnosis<T extends DomainTypes = DomainTypes> {
  readonly evaluation: Evaluation<T>
  readonly label: TriageLabel
  /** `metric dau`, or the question if no metric is known. */
  readonly subject: string
  /** In words, for the person who reads the report. */
  readonly cause: string
  /** Cases with the same key are repaired together; undefined: left to a person. */
  readonly cluster: string | undefined
  /** Whether the cluster joins several subjects, which are examined one by one if nothing repairs them together. */
  readonly isJoined?: true
  /** Equal for cases that ask for the same values; absent: the words of their questions show it. */
  readonly binding?: string | undefined
}

/** The types of a domain whose failures can be repaired. */
export interface RepairTypes extends DomainTypes {
  readonly diagnosis: Diagnosis
}

/** Cases that fail from one cause. */
export interface Cluster<T extends RepairTypes = RepairTypes> {
  readonly key: string
  readonly label: TriageLabel
  readonly subject: string
  readonly diagnoses: readonly T['diagnosis'][]
}

/** Returns the case of a diagnosis, with the type of its domain. */
export function caseOf<T extends RepairTypes>(diagnosis: T['diagnosis']): T['case'] {
  return diagnosis.evaluation.testCase
}
