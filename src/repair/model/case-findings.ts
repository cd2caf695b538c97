import { isCopy } from '../../contracts/agent-answer.js'
import type { SharedCause, TriageLabel } from '../../store/record-types.js'
import type { Diagnosis } from './diagnosis.js'
import type { CaseFinding } from './repair-input.js'

/** The finding for each failing case, by its id. */
export type Findings = ReadonlyMap<string, CaseFinding>

export interface Note {
  readonly diagnosis: Diagnosis
  readonly label: TriageLabel
  readonly cause: string
  /** Number of plans tried since. */
  readonly retries?: number
}

export function findingOf(findings: Findings, { evaluation }: Diagnosis): CaseFinding | undefined {
  return findings.get(evaluation.testCase.id)
}

/** Returns the findings with notes added to cases; the plans tried for each are added up. */
export function noted(findings: Findings, notes: readonly Note[]): Findings {
  if (notes.length === 0) return findings
  const next = new Map(findings)
  for (const { diagnosis, label, cause, retries = 0 } of notes) {
    const { id } = diagnosis.evaluation.testCase
    const before = next.get(id)
    const sharedCause = before?.sharedCause ?? sharedCauseOf(diagnosis)
    next.set(id, {
      label,
      cause,
      retries: (before?.retries ?? 0) + retries,
      repairId: undefined,
      sharedCause,
    })
  }
  return next
}

/**
 * Reports whether an answer may be a copy of an example: its question stands beside a query in what the agent read. It
 * is no evidence for a repair.
 */
export function isCopied({ evaluation: { sample } }: Pick<Diagnosis, 'evaluation'>): boolean {
  return isCopy(sample)
}

export function copiedNote({ evaluation: { sample } }: Diagnosis): string {
  return `its question stands beside a query at ${sample.ownExample}, which the agent read: it proves no repair`
}

/** Returns what the cases of a diagnosis' cluster have in common; undefined if it is in none. */
export function sharedCauseOf({ cluster, subject }: Diagnosis): SharedCause | undefined {
  return cluster === undefined ? undefined : { key: cluster, subject }
}

/** Returns the same note for each of the diagnoses, after its cause. */
export function notedBehindCause(
  findings: Findings,
  diagnoses: readonly Diagnosis[],
  why: string,
  retries = 0,
): Findings {
  return noted(
    findings,
    diagnoses.map((diagnosis) => ({
      diagnosis,
      label: diagnosis.label,
      cause: `${diagnosis.cause}; ${why}`,
      retries,
    })),
  )
}

/**
 * Reports whether what a case expects is left to people: it contradicts other cases, or what somebody wrote. The
 * others are repaired without it.
 */
export function isLeftToPeople(findings: Findings, diagnosis: Diagnosis): boolean {
  const label = findingOf(findings, diagnosis)?.label
  return label === 'suspect_oracle' || label === 'conflicting_intent'
}

/** Returns the number of plans tried for the case with the most. */
export function retriesOf(findings: Findings, diagnoses: readonly Diagnosis[]): number {
  return Math.max(0, ...diagnoses.map((diagnosis) => findingOf(findings, diagnosis)?.retries ?? 0))
}
