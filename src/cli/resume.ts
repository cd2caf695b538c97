import { AutotestError } from '../errors.js'
import type { Evaluation } from '../run/evaluate.js'
import { type AskedUnder, baselineRecord, evaluationOf } from '../run/records.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { RunRecord } from '../store/records.js'
import type { Parts } from './compose.js'
import type { ExecuteRequest } from './execute-request.js'
import type { Project } from './project.js'

/** What decides, beside a case itself, whether an earlier answer to it still counts. */
export function askedUnder(parts: Parts, { config }: Project): AskedUnder {
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

/** Answers of the interrupted run that still count: same case, same options, same knowledge. */
export function knownEvaluations(
  run: RunRecord,
  request: ExecuteRequest,
  under: AskedUnder,
  snapshot: Snapshot,
): Map<string, Evaluation> {
  const known = new Map<string, Evaluation>()
  if (request.resume === undefined) return known
  if (run.knowledge !== snapshot.hash) {
    throw new AutotestError(
      'usage',
      `run ${run.id} cannot be resumed: the knowledge base has changed since`,
      {
        hint: 'Start a new run.',
      },
    )
  }
  const rows = request.store.finishedCases(run.id)
  for (const testCase of request.project.selected) {
    const row = rows.get(testCase.id)
    if (row === undefined || row.outcome === 'errored') continue
    const evaluation = evaluationOf(row, testCase)
    if (baselineRecord(evaluation, row.position, under).fingerprint === row.fingerprint)
      known.set(testCase.id, evaluation)
  }
  return known
}
