import type { SqlCase } from '../../benchmark/case.js'
import { sqlCaseRecorder } from '../../domains/sql/case-recorder.js'
import type { SqlTypes } from '../../domains/sql/sql-domain-types.js'
import type { KnownCase } from '../../run/baseline.js'
import { type EvaluationConditions, evaluationOf, fingerprintOf } from '../../run/case-records.js'
import type { Evaluation } from '../../run/evaluate-case.js'
import type { AnswerRecord, CaseRecord, RunRecord } from '../../store/record-types.js'
import type { RunComponents } from '../compose.js'
import type { Project } from '../project/project.js'
import type { ExecuteRequest } from './execute-request.js'

/** Returns the conditions that an earlier answer depends on besides its case. */
export function evaluationConditions(parts: RunComponents, { config }: Project): EvaluationConditions {
  return {
    engine: parts.engine?.url ?? 'none',
    dialect: parts.evaluator.agentDialect,
    asOf: config.asOf ?? '',
    policy: config.scoring.policy,
    tolerance: config.scoring.tolerance,
    fuzz: config.scoring.fuzz,
    seed: config.scoring.seed,
    agent: parts.agent.name,
  }
}

/**
 * Returns the answers of the interrupted run that are still valid: same case, same options, same knowledge.
 * Errors are asked again.
 *
 * @param times how often each case is asked
 */
export function reusableCases(
  run: RunRecord,
  request: ExecuteRequest,
  under: EvaluationConditions,
  times: number,
): Map<string, KnownCase<SqlTypes>> {
  const known = new Map<string, KnownCase<SqlTypes>>()
  const { store, project, resume } = request
  if (resume === undefined) return known
  const rows = store.finishedCases(run.id)
  const answered = answersByCase(store.answersOf(run.id))
  for (const testCase of project.selected) {
    const fingerprint = fingerprintOf(testCase, under, sqlCaseRecorder)
    const row = rows.get(testCase.id)
    const settled = row?.fingerprint === fingerprint && isBaseline(row) ? row : undefined
    const kept = (answered.get(testCase.id) ?? []).filter((answer) => answer.fingerprint === fingerprint)
    const first = times > 1 ? [] : answersOfRow(settled, testCase)
    const answers = new Map([...answersOf(kept, testCase), ...first])
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

function answersOf(kept: readonly AnswerRecord[], testCase: SqlCase): Map<number, Evaluation<SqlTypes>> {
  return new Map(
    kept
      .filter(({ sample }) => sample.verdict !== 'error')
      .map(({ number, sample }) => [
        number,
        evaluationOf<SqlTypes>({ sample, label: undefined, ms: sample.ms }, testCase, sqlCaseRecorder),
      ]),
  )
}

function answersOfRow(row: CaseRecord | undefined, testCase: SqlCase): Map<number, Evaluation<SqlTypes>> {
  return new Map(row === undefined ? [] : [[0, evaluationOf<SqlTypes>(row, testCase, sqlCaseRecorder)]])
}
