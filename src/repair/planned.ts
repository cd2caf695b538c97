import { applyEdits } from '../edit/apply.js'
import { AutotestError } from '../errors.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { RepairPlan } from './plan.js'

/** The snapshot as the plan would have it; undefined where its edits do not fit. */
export function applyPlan(plan: Pick<RepairPlan, 'edits'>, snapshot: Snapshot): Snapshot | undefined {
  try {
    return applyEdits(snapshot, plan.edits)
  } catch (error) {
    if (error instanceof AutotestError) return undefined
    throw error
  }
}
