import type { ErrorCause, Verdict } from '../../contracts/score.js'
import type { Policy } from '../../enums/verdict-policy.js'
import type { StructuralComparison } from '../../sql/index.js'
import type { ResultFinding } from '../model/sql-score.js'

export interface VerdictDecision {
  readonly verdict: Verdict
  /** The evidence for a `pass`. */
  readonly by?: 'structure' | 'results' | 'judge' | undefined
  readonly errorCause?: ErrorCause | undefined
  /** Equal queries with different rows: both have to be run once more before this verdict is final. */
  readonly rerun?: true | undefined
}

const pass = (by: 'structure' | 'results'): VerdictDecision => ({ verdict: 'pass', by })
const fail: VerdictDecision = { verdict: 'fail' }
const unproven: VerdictDecision = { verdict: 'unproven' }
const suspectOracle: VerdictDecision = { verdict: 'error', errorCause: 'suspect_oracle' }
const nondeterministic: VerdictDecision = { verdict: 'error', errorCause: 'nondeterministic', rerun: true }

/**
 * Decides the verdict from structure and results. An undefined structure was not compared, and counts as not
 * proved equal.
 */
export function decideVerdict(
  structure: StructuralComparison | undefined,
  results: ResultFinding,
  policy: Policy,
): VerdictDecision {
  const equal = structure?.kind === 'equal'
  switch (results.kind) {
    case 'skipped':
      return withoutResults(structure, policy)
    case 'expected_failed':
      return results.setup === undefined ? suspectOracle : { verdict: 'error', errorCause: 'engine' }
    case 'cut':
      return results.inside === true ? unproven : whenCut(equal, results.side)
    case 'generated_failed':
      if (results.copy !== undefined) return onCopy(structure)
      // Only the timeout depends on circumstances; a query that the engine rejects is wrong whatever its
      // structure.
      return equal && results.how === 'killed' ? nondeterministic : fail
    case 'mismatch':
      if (equal) return nondeterministic
      return results.copy === undefined ? fail : onCopy(structure)
    case 'match':
      return equal ? pass('structure') : whenOnlyResultsMatch(structure, results, policy)
  }
}

/**
 * Decides the verdict for a difference on a copy: a copy satisfies declared constraints, but not necessarily
 * the further assumptions of `equal_if`.
 */
function onCopy(structure: StructuralComparison | undefined): VerdictDecision {
  return structure?.kind === 'equal_if' ? unproven : fail
}

function withoutResults(structure: StructuralComparison | undefined, policy: Policy): VerdictDecision {
  if (structure?.kind === 'equal') return policy === 'both' ? unproven : pass('structure')
  return structure?.kind === 'different' && policy === 'structure' ? fail : unproven
}

function whenCut(equal: boolean, side: 'expected' | 'generated' | 'both'): VerdictDecision {
  if (side === 'generated') return equal ? nondeterministic : fail
  return equal && side === 'both' ? unproven : suspectOracle
}

/**
 * Reports whether fuzzed copies are to be used: results match, structure does not prove why, and the policy
 * requires evidence. A single database proves little.
 */
export function needsCopies(
  structure: StructuralComparison | undefined,
  results: ResultFinding,
  policy: Policy,
): boolean {
  return policy === 'evidence' && results.kind === 'match' && structure?.kind !== 'equal'
}

/**
 * Decides without copies, or with empty results: matching results count as equal only if the policy says so.
 */
function whenOnlyResultsMatch(
  structure: StructuralComparison | undefined,
  results: Extract<ResultFinding, { kind: 'match' }>,
  policy: Policy,
): VerdictDecision {
  if (policy === 'results') return pass('results')
  if (policy === 'evidence' && results.copies?.kind === 'match' && !results.empty) return pass('results')
  return policy !== 'evidence' && structure?.kind === 'different' ? fail : unproven
}
