import type { RejectedRepair } from '../../../contracts/rejected-repair.js'
import { checkPath } from '../../../edit/allowed-path.js'
import type { Edit } from '../../../edit/edit-types.js'
import type { Problem } from '../../../repair/model/repair-domain.js'
import type { RepairPlan } from '../../../repair/model/repair-plan.js'
import { describeRejection, rejectedBefore } from '../../../repair/validate/rejected-before.js'
import { changedPaths, readText, type Snapshot } from '../../../snapshot/snapshot.js'
import { testsCaseRecorder } from '../case-recorder.js'
import type { TestsTypes } from '../tests-domain-types.js'

/** Shorter names occur by chance. */
const shortestName = 3

/** Throws `path_refused` for an edit of anything but a tool script. */
export function checkPlace(edit: Edit, agentsFolder: string): void {
  checkPath(edit.path, [agentsFolder], ['.pym'])
}

/**
 * Returns why a plan must not be tried: it brings something of a case into a tool. A tool that knows the function it is
 * tested with answers for that one only.
 */
export function checkPlan(
  plan: RepairPlan<TestsTypes>,
  benchmark: readonly TestsTypes['case'][],
  snapshot: Snapshot,
  candidate: Snapshot,
): Problem<TestsTypes> | undefined {
  // What the scripts say among themselves, such as the keys of the host's answers, is no secret of a case.
  const common = new Set(
    [...snapshot.files.keys()]
      .filter((path) => path.endsWith('.pym'))
      .flatMap((path) => wordsIn(readText(snapshot, path) ?? '')),
  )
  const names = new Set(benchmark.flatMap(namesOf).filter((name) => !common.has(name)))
  for (const { path } of plan.edits) {
    const leaked = wordsIn(readText(candidate, path) ?? '').find((word) => names.has(word))
    if (leaked !== undefined)
      return {
        reason: `the plan brings "${leaked}" into ${path}, which is the name of a case's function or module`,
      }
  }
  return undefined
}

/** Returns the decision of a person against the same change. */
export function findRejectedChange(
  plan: RepairPlan<TestsTypes>,
  rejected: readonly RejectedRepair[],
  snapshot: Snapshot,
  candidate: Snapshot,
): Problem<TestsTypes> | undefined {
  const cases = plan.cases.map((testCase) => ({
    id: testCase.id,
    question: testCase.question,
    expected: testsCaseRecorder.expected(testCase),
  }))
  const paths = changedPaths(snapshot, candidate)
  const decision = rejectedBefore(
    { cases, paths, snapshot, candidate, isSame: () => false, inAnyWords: false },
    rejected,
  )
  return decision && { reason: describeRejection(decision), isDecision: true }
}

/** Returns the names by which a case's function, class and module are known; twins tell what fits one probe only. */
function namesOf(testCase: TestsTypes['case']): string[] {
  if (testCase.kind === 'tool') return []
  const { file, function: qualname = '' } = testCase
  const parts = [...qualname.split('.'), ...file.replace(/\.py$/, '').split('/')]
  return parts.filter((part) => part.length >= shortestName && !/^(?:src|lib|tests?)$/.test(part))
}

function wordsIn(text: string): string[] {
  return text.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []
}
