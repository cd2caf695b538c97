import type { Engine } from '../engine/contract/engine.js'
import type { Policy } from '../enums/verdict-policy.js'
import type { StructuralComparison } from '../sql/index.js'
import type { CopyComparer } from './copies/compare-on-copies.js'
import type { ResultFinding } from './model/sql-score.js'
import { type RunAndCompareInput, runAndCompare } from './outcomes/run-and-compare.js'
import { matchesAfterReordering } from './outcomes/tie-nondeterminism.js'
import { decideVerdict, needsCopies, type VerdictDecision } from './verdict/verdict.js'

/** Both queries to run, on an engine of which copies may be made. */
export type EngineRun = RunAndCompareInput & { readonly engine: Engine }

/** Two queries whose structure and results together determine a verdict. */
export interface PairToScore {
  readonly policy: Policy
  /** Undefined if there is no engine to run them on. */
  readonly run: EngineRun | undefined
  readonly structure: () => Promise<StructuralComparison>
  /** Absent: no fuzzed copies are used. */
  readonly copies?: CopyComparer | undefined
}

export interface PairScore {
  readonly decision: VerdictDecision
  readonly structure: StructuralComparison
  readonly results: ResultFinding
  /** The finding of a second run, if equal queries returned different rows. */
  readonly again?: ResultFinding | undefined
}

/**
 * Runs and compares what the policy requires. Throws what `Engine.query` throws: then the engine itself
 * fails.
 */
export async function scorePair(pair: PairToScore): Promise<PairScore> {
  const { policy, run } = pair
  const [found, structure] = await Promise.all([initialResults(pair), pair.structure()])
  const asked = run !== undefined && needsCopies(structure, found, policy)
  const results = asked ? await withCopyFindings(found, run, pair.copies) : found
  const decision = decideVerdict(structure, results, policy)
  const isHere = results.kind === 'mismatch' && results.copy === undefined
  if (run !== undefined && isHere && decision.verdict === 'fail' && (await matchesAfterReordering(run)))
    return { decision: { verdict: 'error', errorCause: 'nondeterministic' }, structure, results }
  if (decision.rerun === undefined || run === undefined) return { decision, structure, results }
  // Bypasses cached results.
  const again = await runAndCompare({
    ...run,
    expectedOutcome: () => run.engine.query(run.expectedSql, run.limits),
  })
  const slowOnce = again.kind === 'match' && results.kind === 'generated_failed'
  return slowOnce
    ? { decision: { verdict: 'pass', by: 'structure' }, structure, results: again }
    : { decision, structure, results, again }
}

async function initialResults({ policy, run }: PairToScore): Promise<ResultFinding> {
  if (policy === 'structure') return { kind: 'skipped', reason: 'policy structure runs nothing' }
  return run === undefined ? { kind: 'skipped', reason: 'no engine is configured' } : runAndCompare(run)
}

/**
 * Completes matching results with the findings of fuzzed copies; a copy that distinguishes the queries
 * determines the result.
 */
async function withCopyFindings(
  found: ResultFinding,
  run: EngineRun,
  copies: CopyComparer | undefined,
): Promise<ResultFinding> {
  if (found.kind !== 'match') return found
  const finding = await copies?.compare(run.engine, run)
  if (finding?.kind === 'refuted')
    return { kind: 'mismatch', comparison: finding.comparison, copy: finding.copy }
  if (finding?.kind === 'fails')
    return { kind: 'generated_failed', how: 'failed', message: finding.message, copy: finding.copy }
  return { ...found, copies: finding }
}
