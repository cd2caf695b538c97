import { checkPath } from '../../../edit/allowed-path.js'
import type { Edit } from '../../../edit/edit-types.js'
import type { Problem } from '../../../repair/model/repair-domain.js'
import type { RepairPlan } from '../../../repair/model/repair-plan.js'
import { readText, type Snapshot } from '../../../snapshot/snapshot.js'
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
  const names = new Set(benchmark.flatMap(namesOf))
  for (const { path } of plan.edits) {
    const had = new Set(wordsIn(readText(snapshot, path) ?? ''))
    const leaked = wordsIn(readText(candidate, path) ?? '').find((word) => names.has(word) && !had.has(word))
    if (leaked !== undefined)
      return {
        reason: `the plan brings "${leaked}" into ${path}, which is the name of a case's function or module`,
      }
  }
  return undefined
}

/** Returns the names by which a case's function, class and module are known. */
function namesOf(testCase: TestsTypes['case']): string[] {
  const [path, qualname] =
    testCase.kind === 'tool'
      ? [testCase.probe.target.path, testCase.probe.target.function]
      : [testCase.file, testCase.function ?? '']
  const parts = [...qualname.split('.'), ...path.replace(/\.py$/, '').split('/')]
  return parts.filter((part) => part.length >= shortestName && !/^(?:src|lib|tests?)$/.test(part))
}

function wordsIn(text: string): string[] {
  return text.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []
}
