import { isCopy } from '../../contracts/agent-answer.js'
import { isInfrastructureCause } from '../../contracts/score.js'
import { AutotestError } from '../../errors.js'
import type { Evaluation } from '../../run/evaluate-case.js'
import { forEachConcurrent } from '../../run/for-each-concurrent.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { HeldOutScore } from '../model/candidate.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { AskContext } from '../model/repair-input.js'

/** How often a nondeterministic agent is asked before its answer counts as right. */
export const nondeterministicRepetitions = 3

/** Counts the cases that pass each time they are asked. */
export async function countPassing<T extends RepairTypes>(
  cases: readonly T['case'][],
  snapshot: Snapshot,
  context: AskContext<T>,
): Promise<HeldOutScore> {
  let passed = 0
  await forEachConcurrent(cases, context.concurrency, context.signal, async (testCase) => {
    if (await alwaysPasses(testCase, snapshot, context)) passed++
  })
  return { passed, of: cases.length }
}

/**
 * Reports whether every answer is right: one of a deterministic agent, several of another. The first of them
 * also counts for the whole benchmark: it is not asked once more.
 */
export async function alwaysPasses<T extends RepairTypes>(
  testCase: T['case'],
  snapshot: Snapshot,
  context: AskContext<T>,
): Promise<boolean> {
  if (!isProvenPass(await evaluateOrThrow(testCase, snapshot, context))) return false
  return (
    context.evaluator.agent.deterministic ||
    passesAgain(testCase, snapshot, nondeterministicRepetitions - 1, context, isProvenPass)
  )
}

/** Like `alwaysPasses`, for a case whose first answer is doubtful: known answers do not count. */
export async function alwaysPassesAfresh<T extends RepairTypes>(
  testCase: T['case'],
  snapshot: Snapshot,
  context: AskContext<T>,
): Promise<boolean> {
  return passesAgain(testCase, snapshot, nondeterministicRepetitions, context)
}

async function passesAgain<T extends RepairTypes>(
  testCase: T['case'],
  snapshot: Snapshot,
  times: number,
  context: AskContext<T>,
  isRight: (evaluation: Evaluation) => boolean = isPass,
): Promise<boolean> {
  const { evaluator, signal } = context
  for (let asked = 0; asked < times; asked++) {
    const first = await evaluator.evaluateAfresh(testCase, snapshot, signal)
    if (!isRight(throwIfBroken(await retryIfBroken(first, snapshot, context), signal))) return false
  }
  return true
}

/**
 * Returns the answer to a case with a candidate. Throws `not_verified` if agent or engine fail twice: that is
 * no wrong answer.
 */
export async function evaluateOrThrow<T extends RepairTypes>(
  testCase: T['case'],
  snapshot: Snapshot,
  context: AskContext<T>,
): Promise<Evaluation<T>> {
  return throwIfBroken(await evaluateWithRetry(testCase, snapshot, context), context.signal)
}

/** Returns the answer to a case, or that of a second attempt if agent or engine fail. */
export async function evaluateWithRetry<T extends RepairTypes>(
  testCase: T['case'],
  snapshot: Snapshot,
  context: AskContext<T>,
  previous?: Evaluation<T>,
): Promise<Evaluation<T>> {
  const first = await context.evaluator.evaluate(testCase, snapshot, context.signal, previous)
  return retryIfBroken(first, snapshot, context)
}

async function retryIfBroken<T extends RepairTypes>(
  first: Evaluation<T>,
  snapshot: Snapshot,
  { evaluator, signal }: AskContext<T>,
): Promise<Evaluation<T>> {
  return isBroken(first) && !signal.aborted
    ? evaluator.evaluateAfresh(first.testCase, snapshot, signal)
    : first
}

/** Throws `not_verified` for an infrastructure error; errors caused by an abort are dropped. */
export function throwIfBroken<T extends RepairTypes>(
  evaluation: Evaluation<T>,
  signal: AbortSignal,
): Evaluation<T> {
  if (!isBroken(evaluation) || signal.aborted) return evaluation
  const { testCase, score } = evaluation
  throw new AutotestError('not_verified', `case ${testCase.id}: ${score.reason}`, {
    hint: 'Fix that, then continue with --resume.',
  })
}

function isBroken({ score: { verdict, errorCause, isLate } }: Evaluation): boolean {
  return (verdict === 'error' && isInfrastructureCause(errorCause)) || isLate === true
}

export function isPass(evaluation: Evaluation | undefined): boolean {
  return evaluation?.score.verdict === 'pass'
}

/**
 * Reports whether an answer is right by its structure or its rows: a judge's word alone is no ground for a repair, and
 * neither is an answer that may be a copy of an example.
 */
function isProvenPass({ score: { verdict, by }, sample }: Evaluation): boolean {
  return verdict === 'pass' && by !== 'judge' && !isCopy(sample)
}

export function passingCaseIds(evaluations: Iterable<Evaluation>): Set<string> {
  return new Set([...evaluations].filter(isPass).map(({ testCase }) => testCase.id))
}
