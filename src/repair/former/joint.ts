import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairInput } from '../input.js'
import type { Diagnosis, RepairPlan } from '../plan.js'
import { planned } from '../planned.js'
import { propose } from '../propose.js'
import { diagnose } from '../triage/triage.js'
import { leftOutOnce } from '../verify/held-out.js'
import { type FormerChoice, servedBy } from './choice.js'

/** A plan that gives back what a metric's file once had and mends what is wrong behind it. */
export interface JointPlan {
  readonly plan: RepairPlan
  /** Of the cases, how many pass with the plan as it would be made without them. */
  readonly leftOut: { readonly passed: number; readonly of: number }
}

/**
 * With its former file the metric can be asked again, and its snippet is wrong as well: neither edit alone makes a case
 * pass. Undefined where the cases do not agree on what is wrong, or no rule mends it.
 */
export async function jointPlan(
  state: FormerChoice,
  diagnoses: readonly Diagnosis[],
  input: RepairInput,
): Promise<JointPlan | undefined> {
  const { plan, after, metric, undoes } = state
  const paths = new Set(plan.edits.map((edit) => edit.path))
  if (plan.edits.some(({ kind }) => kind !== 'edit_metric')) return undefined
  const found = diagnoses.map(({ evaluation }) => diagnose(evaluation, after, input))
  const [first] = found
  if (first?.label !== 'wrong_definition' || found.some(({ cluster }) => cluster !== first.cluster))
    return undefined
  const mendOf = (some: readonly Diagnosis[]): RepairPlan | undefined =>
    propose({ label: first.label, subject: first.subject, diagnoses: some }, after, input).plans.find(
      ({ edits }) => edits.every(({ path }) => !paths.has(path)),
    )
  const mend = mendOf(found)
  if (mend === undefined) return undefined
  const former = `${[...paths].join(', ')} as it was before ${undoes.at(-1) ?? ''}`
  return {
    plan: {
      ...mend,
      title: `${mend.title}; ${former}`,
      reasoning: `${mend.reasoning}, with ${former}`,
      edits: [...plan.edits, ...mend.edits],
      formerPaths: [...paths],
    },
    leftOut: await leftOutOf(found, (others) => {
      const without = mendOf(others)
      return without && planned(without, after)
    }),
  }

  async function leftOutOf(
    all: readonly Diagnosis[],
    without: (others: readonly Diagnosis[]) => Snapshot | undefined,
  ): Promise<JointPlan['leftOut']> {
    const groups = leftOutOnce(all, input.named)
    let passed = 0
    for (const { left, others } of groups) {
      const mended = without(others)
      if (mended !== undefined && (await servedBy(mended, metric, [left], input)).size > 0) passed++
    }
    return { passed, of: groups.length }
  }
}
