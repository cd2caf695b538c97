import { diffSnapshots } from '../../build/modules/snapshot/diff.js'
import { changed, historyOf, repairInMemory } from '../in-memory.js'

/**
 * Injects one fault, lets the loop repair it in memory and judges what it accepted; `isInGit`: git shows the change. `injected` is false where no case
 * fails from it.
 */
export async function tryFault(setting, fault, cases) {
  const { project, clean, misjudged } = setting
  const broken = changed(clean, fault.files)
  const history = setting.isInGit ? historyOf(clean, fault.files) : {}
  const { bad, attempts, result, open, ms, evaluations } = await repairInMemory(
    setting,
    broken,
    cases,
    0,
    history,
  )
  if (bad.every((one) => one.score.verdict !== 'fail')) return { injected: false }
  const { accepted, snapshot } = result
  const wrong = accepted.length === 0 ? [] : await misjudged(broken, snapshot)
  const regressions = []
  for (const { testCase, score } of evaluations) {
    if (score.verdict !== 'pass') continue
    const after = await setting.parts.evaluator.evaluate(testCase, snapshot)
    if (after.score.verdict !== 'pass') regressions.push(testCase.id)
  }
  const isRepaired = open.length === 0 && wrong.length === 0 && accepted.length > 0
  const grades = accepted.map(({ attempt }) => attempt.grade)
  return {
    injected: true,
    outcome: isRepaired ? (grades.every((grade) => grade === 'E2') ? 'E2' : 'E1') : 'abstained',
    wrong,
    regressions,
    attempts: attempts.length,
    repairs: accepted.length,
    ms: accepted.length === 0 ? ms : ms / accepted.length,
    lines: isRepaired ? linesBetween(broken, snapshot) / Math.max(1, linesBetween(clean, broken)) : undefined,
    accepted: accepted.map(
      ({ attempt }) =>
        `${attempt.grade} ${attempt.title}\n${attempt.edits.map((edit) => edit.diff).join('\n')}`,
    ),
    why: open.map(([id, finding]) => `${id}: ${finding.label}: ${finding.cause}`),
    project: project.name,
  }
}

function linesBetween(before, after) {
  return diffSnapshots(before, after).reduce((sum, file) => sum + file.added + file.removed, 0)
}
