import type { HeldOutScore } from '../../../../../repair/model/candidate.js'
import { crossValidationSplits } from '../../../../../repair/model/held-out-split.js'
import type { Restoration } from '../../../../../repair/model/repair-domain.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { RestoreContext } from '../../model/scoring-context.js'
import type { Diagnosis, SqlTypes } from '../../model/sql-repair-types.js'
import { deletedFileOf, deletedFileOptions } from './deleted-files.js'
import { combinePlans } from './restore-and-repair-plan.js'
import type { RestoreOption } from './restore-option.js'
import { undoBreakingChange } from './undo-breaking-change.js'

/**
 * Yields former states of the knowledge with which the cases pass: the change undone with which they began to fail, or a deleted file. If the
 * expected query differs from the snippet in structure, it does not show how to repair the snippet, but running both shows which is right.
 */
export async function* restorationsFromGit(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RestoreContext,
): AsyncGenerator<Restoration<SqlTypes>, void> {
  if (context.history === undefined) return
  const lost = deletedFileOf(diagnoses)
  const undone = lost === undefined ? await undoBreakingChange(diagnoses, snapshot, context) : undefined
  const options =
    lost === undefined
      ? [undone].filter((each) => each !== undefined)
      : deletedFileOptions(lost, diagnoses, snapshot, context)
  const tried: RestoreOption[] = []
  for await (const option of options) {
    tried.push(option)
    const { plan, passingCases } = option
    // Cases that still fail with the deleted file alone can be examined once it is restored.
    const about = lost === undefined ? diagnoses : diagnoses.filter((each) => passesCase(option, each))
    const isEnough = passingCases.size >= about.length
    const combined =
      isEnough || lost !== undefined ? undefined : await combinePlans(option, diagnoses, context)
    if (!isEnough && combined === undefined) continue
    yield {
      plan: { ...(combined?.plan ?? plan), concerns: [] },
      about,
      crossValidation: combined?.crossValidation ?? crossValidate(option, tried, about, context),
    }
  }
}

function passesCase({ passingCases }: RestoreOption, { evaluation }: Diagnosis): boolean {
  return passingCases.has(evaluation.testCase.id)
}

/**
 * Counts the cases without which the state would still have been chosen: as the first one with which all the
 * others pass.
 */
function crossValidate(
  chosen: RestoreOption,
  tried: readonly RestoreOption[],
  diagnoses: readonly Diagnosis[],
  { named }: RestoreContext,
): HeldOutScore {
  const groups = crossValidationSplits<SqlTypes>(diagnoses, named)
  const passed = groups.filter(({ others }) => {
    const first = tried.find((state) => others.every((each) => passesCase(state, each)))
    return first === chosen
  })
  return { passed: passed.length, of: groups.length }
}
