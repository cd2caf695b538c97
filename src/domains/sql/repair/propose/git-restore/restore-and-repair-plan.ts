import { crossValidationSplits } from '../../../../../repair/model/held-out-split.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { diagnose } from '../../diagnose/diagnose.js'
import { slotEditsIn } from '../../model/repair-context.js'
import type { RestoreContext } from '../../model/scoring-context.js'
import type { Diagnosis, RepairPlan, SqlTypes } from '../../model/sql-repair-types.js'
import { applyPlan } from '../../model/sql-repair-types.js'
import { casesPassingWith, type RestoreOption } from './restore-option.js'

/** A plan that restores a former version of a metric's file and repairs what is still wrong after that. */
export interface CombinedPlan {
  readonly plan: RepairPlan
  /** How many of the cases pass with the plan that is made without them. */
  readonly crossValidation: { readonly passed: number; readonly of: number }
}

/**
 * Combines both repairs: with its former file the metric can be asked for again, but its snippet is wrong as
 * well, and neither edit alone makes a case pass. Undefined if the cases do not agree on what is wrong, or no
 * rule repairs it.
 */
export async function combinePlans(
  state: RestoreOption,
  diagnoses: readonly Diagnosis[],
  input: RestoreContext,
): Promise<CombinedPlan | undefined> {
  const { plan, after, metric, undoes } = state
  const paths = new Set(plan.edits.map((edit) => edit.path))
  if (slotEditsIn(plan.edits, input).length < plan.edits.length) return undefined
  const found = diagnoses.map(({ evaluation }) => diagnose(evaluation, after, input))
  const [first] = found
  if (first?.label !== 'wrong_definition' || found.some(({ cluster }) => cluster !== first.cluster))
    return undefined
  const proposeFix = (some: readonly Diagnosis[]): RepairPlan | undefined =>
    input
      .propose({ label: first.label, subject: first.subject, diagnoses: some }, after)
      .plans.find(({ edits }) => edits.every(({ path }) => !paths.has(path)))
  const fix = proposeFix(found)
  if (fix === undefined) return undefined
  const former = `${[...paths].join(', ')} as it was before ${undoes.at(-1) ?? ''}`
  return {
    plan: {
      ...fix,
      title: `${fix.title}; ${former}`,
      reasoning: `${fix.reasoning}, with ${former}`,
      edits: [...plan.edits, ...fix.edits],
      restoredPaths: [...paths],
    },
    crossValidation: await crossValidate(found, (others) => {
      const without = proposeFix(others)
      return without && applyPlan(without, after)
    }),
  }

  async function crossValidate(
    all: readonly Diagnosis[],
    without: (others: readonly Diagnosis[]) => Snapshot | undefined,
  ): Promise<CombinedPlan['crossValidation']> {
    const groups = crossValidationSplits<SqlTypes>(all, input.named)
    let passed = 0
    for (const { left, others } of groups) {
      const mended = without(others)
      if (mended !== undefined && (await casesPassingWith(mended, metric, [left], input)).size > 0) passed++
    }
    return { passed, of: groups.length }
  }
}
