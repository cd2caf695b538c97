import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { RuleProposer } from '../model/repair-domain.js'
import { applyPlan, type Proposals, type RepairPlan } from '../model/repair-plan.js'

/** Makes plans by rules and tries them on expected answers; the agent is not asked. */
export interface Planner<T extends RepairTypes> {
  propose(diagnoses: readonly T['diagnosis'][], snapshot: Snapshot): Proposals<T>
  /** Reports whether the knowledge gives what the case expects with the plan. */
  isExpected(plan: RepairPlan<T>, diagnosis: T['diagnosis'], snapshot: Snapshot): boolean
  /** Returns the plan with which the cases that show one of two faults pass. */
  readonly withOneFault: RuleProposer<T>['withOneFault']
}

/** @param isEnabled whether the rules make plans at all */
export function createPlanner<T extends RepairTypes>(rules: RuleProposer<T>, isEnabled: boolean): Planner<T> {
  /** Keyed by the diagnosis of their first case, which is replaced when the knowledge about it changes. */
  const known = new WeakMap<T['diagnosis'], Map<string, Proposals<T>>>()
  return {
    withOneFault: rules.withOneFault?.bind(rules),
    isExpected(plan, diagnosis, snapshot) {
      const candidate = applyPlan(plan, snapshot)
      return candidate !== undefined && rules.resolvesToExpected(diagnosis, candidate)
    },
    propose(diagnoses, snapshot) {
      const [first] = diagnoses
      if (first === undefined || !isEnabled) return { plans: [] }
      const ofFirst = known.get(first) ?? new Map<string, Proposals<T>>()
      known.set(first, ofFirst)
      const key = diagnoses.map(({ evaluation }) => evaluation.testCase.id).join('\0')
      const { label, subject } = first
      const proposals = ofFirst.get(key) ?? rules.propose({ label, subject, diagnoses }, snapshot)
      ofFirst.set(key, proposals)
      return proposals
    },
  }
}
