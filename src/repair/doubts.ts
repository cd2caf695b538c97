import type { SqlCase } from '../benchmark/case.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { doubtfulChoices } from './doubts/choices.js'
import { doubtfulCodes } from './doubts/codes.js'
import { againstTheHouse } from './doubts/house.js'
import { doubtfulLiterals } from './doubts/literals.js'
import { doubtfulWords } from './doubts/words.js'
import { sameElsewhere } from './former/purpose.js'
import { knowledgeOf, type RepairContext } from './knowledge.js'
import type { RepairPlan } from './plan.js'

/**
 * What in a plan rests on one case alone, and on nothing that its twins vary: such a plan needs a case that it was not
 * made from (grade E2). Empty where the twins are evidence enough.
 *
 * @param isFormer whether the snippet once said the same: nothing in its SQL is new then
 */
export function doubtsAbout(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  isFormer: boolean,
  context: RepairContext & { readonly benchmark: readonly SqlCase[] },
): string[] {
  const kb = knowledgeOf(snapshot, context)
  const isNew = plan.edits.some(({ kind }) => kind === 'create_metric')
  // What the rules infer is known to be right where the author once wrote it; what only gives the same rows is not.
  const isConfirmed = isFormer && plan.isFormer !== true
  return [
    ...(plan.doubts ?? []),
    // Two metrics that said the same before are no sign that the case means the other one.
    ...(isConfirmed ? [] : duplicates(plan, snapshot, candidate, context)),
    ...(isNew && plan.isFormer !== true ? ['one case alone says what a new metric means'] : []),
    ...doubtfulWords(plan, snapshot, kb, context),
    ...doubtfulCodes(plan, kb, context),
    // Where the plan says what it rests on, that was weighed already.
    ...(isFormer || plan.doubts !== undefined
      ? []
      : doubtfulChoices(plan, kb, knowledgeOf(candidate, context), context)),
    ...(isFormer ? [] : doubtfulLiterals(plan, snapshot, candidate, kb, context)),
    ...(isConfirmed ? [] : againstTheHouse(plan, snapshot, candidate, context)),
  ]
}

/**
 * Another metric that already says what the plan would make its own say: what was asked for may have become that one. Where
 * several say it, it is a definition that is repeated, and the one that differs has drifted.
 */
function duplicates(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  if (plan.cases.length > 1 || !plan.edits.some(({ kind }) => kind === 'edit_snippet')) return []
  const known = new Set(sameElsewhere(plan, snapshot, context).map(({ path }) => path))
  const [other, ...more] = sameElsewhere(plan, candidate, context).filter(({ path }) => !known.has(path))
  if (other === undefined || more.length > 0) return []
  return [`one case alone asks for what metric ${other.metric} says already`]
}
