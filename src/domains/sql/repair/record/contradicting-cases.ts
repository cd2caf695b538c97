import { isCopy } from '../../../../contracts/agent-answer.js'
import type { Interpretation } from '../../../../kb/question-interpretation.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { interpretationOf, knowledgeBaseOf, type RepairContext } from '../model/repair-context.js'
import type { Diagnosis, SqlEvaluation } from '../model/sql-repair-types.js'

/**
 * Reports whether a case was answered from the metric of a diagnosis: the metric was read, and the question
 * resolves to it.
 */
export function readsSameMetric(
  evaluation: SqlEvaluation | undefined,
  { interpretation }: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
): boolean {
  const metric = interpretation.metric?.id
  if (evaluation === undefined || metric === undefined) return false
  const { sample, testCase } = evaluation
  if (sample.kind === 'error' || sample.read === 'all' || !sample.read.includes(metric)) return false
  // A search returns more entries than the answer is based on.
  return interpretationOf(testCase, knowledgeBaseOf(snapshot, context), context).metric?.id === metric
}

/**
 * Returns passing cases of a metric that use the same parts of its snippet as a failing one: if no plan makes
 * the failing one pass, it contradicts what these expect.
 */
export function similarPassingCases(
  diagnosis: Diagnosis,
  current: Iterable<SqlEvaluation>,
  snapshot: Snapshot,
  context: RepairContext,
): string[] {
  const kb = knowledgeBaseOf(snapshot, context)
  const choices = choicesOf(diagnosis.interpretation)
  return [...current].flatMap((evaluation) => {
    const { testCase, score, sample } = evaluation
    // A copied answer contradicts nothing.
    if (isCopy(sample)) return []
    if (score.verdict !== 'pass' || !readsSameMetric(evaluation, diagnosis, snapshot, context)) return []
    return choicesOf(interpretationOf(testCase, kb, context)) === choices ? [testCase.id] : []
  })
}

function choicesOf({ bindings }: Interpretation): string {
  const names = bindings.flatMap(({ parameter, value }) =>
    value.kind === 'choice' ? [`${parameter}=${value.name}`] : [],
  )
  return names.sort().join(' ')
}
