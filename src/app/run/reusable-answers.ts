import type { BenchmarkCase } from '../../benchmark/case.js'
import type { RepairTypes } from '../../repair/model/diagnosis.js'
import type { KnownCase } from '../../run/baseline.js'
import { type CaseRecorder, evaluationOf, fingerprintOf } from '../../run/case-records.js'
import type { Evaluation } from '../../run/evaluate-case.js'
import type { AnswerRecord, CaseRecord, RunRecord } from '../../store/record-types.js'
import type { ExecuteRequest, RunParts } from './run-state.js'

type Recorder = CaseRecorder<RepairTypes>

/**
 * Returns the answers of the interrupted run that are still valid: same case, same options, same knowledge.
 * Errors are asked again.
 *
 * @param times how often each case is asked
 */
export function reusableCases(
  run: RunRecord,
  request: ExecuteRequest,
  { conditions: under, recorder }: RunParts,
  times: number,
): Map<string, KnownCase<RepairTypes>> {
  const known = new Map<string, KnownCase<RepairTypes>>()
  const { store, project, resume } = request
  if (resume === undefined) return known
  const rows = store.finishedCases(run.id)
  const answered = answersByCase(store.answersOf(run.id))
  for (const testCase of project.selected) {
    const fingerprint = fingerprintOf(testCase, under, recorder)
    const row = rows.get(testCase.id)
    const settled = row?.fingerprint === fingerprint && isBaseline(row) ? row : undefined
    const kept = (answered.get(testCase.id) ?? []).filter((answer) => answer.fingerprint === fingerprint)
    const first = times > 1 ? [] : answersOfRow(settled, testCase, recorder)
    const answers = new Map([...answersOf(kept, testCase, recorder), ...first])
    if (answers.size === 0) continue
    // Only its answers show that it is stable: the run may have ended before it asked again.
    known.set(testCase.id, { answers, flaky: settled?.label === 'flaky' ? true : undefined })
  }
  return known
}

/** Reports whether the row's answer is one with the initial knowledge, and not an infrastructure error. */
function isBaseline({ outcome }: CaseRecord): boolean {
  return outcome === 'passed' || outcome === 'failed' || outcome === 'unproven'
}

function answersByCase(answers: readonly AnswerRecord[]): Map<string, AnswerRecord[]> {
  const byCase = new Map<string, AnswerRecord[]>()
  for (const answer of answers) byCase.set(answer.caseId, [...(byCase.get(answer.caseId) ?? []), answer])
  return byCase
}

function answersOf(
  kept: readonly AnswerRecord[],
  testCase: BenchmarkCase,
  recorder: Recorder,
): Map<number, Evaluation<RepairTypes>> {
  return new Map(
    kept
      .filter(({ sample }) => sample.verdict !== 'error')
      .map(({ number, sample }) => [
        number,
        evaluationOf<RepairTypes>({ sample, label: undefined, ms: sample.ms }, testCase, recorder),
      ]),
  )
}

function answersOfRow(
  row: CaseRecord | undefined,
  testCase: BenchmarkCase,
  recorder: Recorder,
): Map<number, Evaluation<RepairTypes>> {
  return new Map(row === undefined ? [] : [[0, evaluationOf<RepairTypes>(row, testCase, recorder)]])
}
