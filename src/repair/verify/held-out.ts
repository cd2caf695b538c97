import type { Snapshot } from '../../snapshot/snapshot.js'
import type { Diagnosis, Proposals, RepairPlan } from '../plan.js'
import { alwaysPasses, type VerifyContext } from './context.js'

const maxSplits = 5

/**
 * How many cases pass with a plan that was made without them. A case that asks the same in the same words is no other
 * case: it is left out together with its like.
 */
export async function leaveOneOut(
  diagnoses: readonly Diagnosis[],
  repropose: (diagnoses: readonly Diagnosis[]) => Proposals,
  applyPlan: (plan: RepairPlan) => Snapshot | undefined,
  context: VerifyContext,
): Promise<{ passed: number; of: number }> {
  const candidates = crossValidationSplits(diagnoses, context.named)
  let passed = 0
  for (const { left, others } of candidates) {
    const plan = repropose(others).plans[0]
    const snapshot = plan === undefined ? undefined : applyPlan(plan)
    if (snapshot === undefined) continue
    if (await alwaysPasses(left.evaluation.testCase, snapshot, context)) passed++
  }
  return { passed, of: candidates.length }
}

/** Each case to be left out once, with those of its cluster that are then learned from; at most five. */
export function crossValidationSplits(
  diagnoses: readonly Diagnosis[],
  named: ReadonlySet<string>,
): { readonly left: Diagnosis; readonly others: readonly Diagnosis[] }[] {
  return [...groupByQuestion(diagnoses).values()]
    .filter((group) => group.every(({ evaluation }) => !named.has(evaluation.testCase.id)))
    .flatMap((group) => {
      const [left] = group
      const others = diagnoses.filter((each) => each.cluster === left?.cluster && !group.includes(each))
      return left === undefined || others.length === 0 ? [] : [{ left, others }]
    })
    .slice(0, maxSplits)
}

/**
 * Cases of a cluster that a proposer which asks for every plan learns from, and one that it never sees: asking it once
 * more a case, as `leaveOneOut` does, would cost more than it shows.
 */
export function splitHeldOut(
  diagnoses: readonly Diagnosis[],
  named: ReadonlySet<string>,
): { readonly shown: readonly Diagnosis[]; readonly held: readonly Diagnosis[] } {
  const groups = [...groupByQuestion(diagnoses).values()]
  const held = groups
    .slice(1)
    .findLast((group) => group.every(({ evaluation }) => !named.has(evaluation.testCase.id)))
  return { shown: diagnoses.filter((each) => held?.includes(each) !== true), held: held ?? [] }
}

/** Diagnoses of one cluster by the words of their question, whatever the case and the signs between. */
function groupByQuestion(diagnoses: readonly Diagnosis[]): Map<string, Diagnosis[]> {
  const groups = new Map<string, Diagnosis[]>()
  for (const diagnosis of diagnoses) {
    const words = diagnosis.evaluation.testCase.question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    const key = `${diagnosis.cluster ?? ''}\0${words.join(' ')}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [diagnosis])
    else group.push(diagnosis)
  }
  return groups
}
