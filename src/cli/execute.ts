import { AutotestError } from '../errors.js'
import type { AcceptedRepair, RepairResult } from '../repair/loop.js'
import { type BaselineCase, runBaseline } from '../run/baseline.js'
import type { Evaluation } from '../run/evaluate.js'
import type { RunListener } from '../run/events.js'
import { type AskedUnder, baselineRecord, evaluationOf } from '../run/records.js'
import { loadSnapshot } from '../snapshot/load.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { loadSqlParser } from '../sql/parser.js'
import type { CaseRecord, RunMode, RunRecord } from '../store/records.js'
import type { RunStore } from '../store/store.js'
import { composeParts, type Parts } from './compose.js'
import { knowledgeProblems } from './knowledge-problems.js'
import { withProjectLock } from './locked.js'
import type { Project } from './project.js'

export interface ExecuteRequest {
  readonly project: Project
  readonly mode: RunMode
  /** Ids the user named, which are never left out while proposing. */
  readonly named: readonly string[]
  /** The interrupted run to finish. */
  readonly resume: RunRecord | undefined
  /** The options that decide what is asked. */
  readonly options: Readonly<Record<string, unknown>>
  readonly store: RunStore
  readonly signal: AbortSignal
  readonly listener: RunListener
  readonly now: () => Date
  /** Called when repairs were accepted, before the first byte is written. */
  readonly beforeWrite: () => Promise<void>
}

export interface ExecuteResult {
  readonly runId: string
  /** Written to the working tree, unless the run is a dry run. */
  readonly accepted: readonly AcceptedRepair[]
  readonly interrupted: boolean
  readonly budgetExhausted: boolean
}

const flakyRepeats = 2

/** One run: baseline, repair, write. Everything found is in the run database when it returns or throws. */
export async function executeRun(request: ExecuteRequest): Promise<ExecuteResult> {
  if (request.mode !== 'repair') return withParts(request)
  const note = (text: string): void => request.listener({ kind: 'note', text })
  return withProjectLock(request.project.config.root, note, () => withParts(request))
}

async function withParts(request: ExecuteRequest): Promise<ExecuteResult> {
  const { config } = request.project
  const { snapshot, problems } = await loadSnapshot(config.root, [config.kb, config.agents])
  for (const text of knowledgeProblems(snapshot, config.kb, problems))
    request.listener({ kind: 'note', text })
  const parts = await composeParts({
    config,
    today: request.now().toISOString().slice(0, 10),
    onProgress: (text) => request.listener({ kind: 'note', text }),
  })
  const closeOnAbort = (): void => void parts.close()
  request.signal.addEventListener('abort', closeOnAbort)
  try {
    return await runOn(parts, snapshot, request)
  } finally {
    request.signal.removeEventListener('abort', closeOnAbort)
    await parts.close()
  }
}

async function runOn(parts: Parts, snapshot: Snapshot, request: ExecuteRequest): Promise<ExecuteResult> {
  const { store, project, mode } = request
  const run = startRun(parts, snapshot, request)
  const under = askedUnder(parts, project)
  const known = knownEvaluations(run, request, under, snapshot)
  request.listener({ kind: 'run_started', run, resumed: known.size })
  const rows = new Map<string, CaseRecord>()
  let done = 0
  const keep = (row: CaseRecord): void => {
    if (row.outcome !== 'passed') rows.set(row.caseId, row)
    store.recordCases(run.id, [row])
  }
  let status: RunRecord['status'] = 'failed'
  let knowledgeAfter: string | undefined
  try {
    const baseline = await runBaseline({
      cases: project.selected,
      snapshot,
      evaluator: parts.evaluator,
      concurrency: project.config.limits.concurrency,
      repeats: flakyRepeats,
      known,
      signal: request.signal,
      onCase(result) {
        const row = flakyRow(baselineRecord(result.evaluation, result.position, under), result)
        keep(row)
        request.listener({
          kind: 'case_finished',
          record: row,
          done: ++done,
          total: project.selected.length,
        })
      },
    })
    const started = performance.now()
    const deadline = AbortSignal.any([request.signal, ...timeLimit(project.config.budget.timeMs)])
    const repaired = await repairWith(parts, snapshot, baseline, deadline, run.id, request)
    const expired = deadline.aborted && !request.signal.aborted
    const accepted = request.signal.aborted ? [] : repaired.accepted
    if (mode === 'repair') await writeRepairs(accepted, run.id, request)
    for (const row of settledRows(rows, repaired, accepted, mode)) keep(row)
    knowledgeAfter = accepted.length > 0 && mode === 'repair' ? repaired.snapshot.hash : snapshot.hash
    status = request.signal.aborted ? 'interrupted' : 'finished'
    if (expired)
      request.listener({
        kind: 'note',
        text: `--max-time passed after ${Math.round((performance.now() - started) / 1000)} s: the causes left were not tried`,
      })
    return { runId: run.id, accepted, interrupted: request.signal.aborted, budgetExhausted: expired }
  } finally {
    store.finishRun(run.id, { status, finishedAt: request.now().toISOString(), knowledgeAfter })
  }
}

function startRun(parts: Parts, snapshot: Snapshot, request: ExecuteRequest): RunRecord {
  if (request.resume !== undefined) return request.resume
  const record: Omit<RunRecord, 'id'> = {
    root: request.project.config.root,
    startedAt: request.now().toISOString(),
    finishedAt: undefined,
    status: 'running',
    mode: request.mode,
    engine: parts.engine?.url ?? 'none',
    agent: parts.agent.name,
    dialect: parts.evaluator.agentDialect,
    knowledge: snapshot.hash,
    knowledgeAfter: undefined,
    total: request.project.selected.length,
    options: request.options,
    decision: 'none',
    exitCode: undefined,
  }
  return { ...record, id: request.store.createRun(record) }
}

function askedUnder(parts: Parts, { config }: Project): AskedUnder {
  return {
    engine: parts.engine?.url ?? 'none',
    dialect: parts.evaluator.agentDialect,
    asOf: config.asOf ?? '',
    policy: config.scoring.policy,
    tolerance: config.scoring.tolerance,
    agent: parts.agent.name,
  }
}

/** Answers of the interrupted run that still count: same case, same options, same knowledge. */
function knownEvaluations(
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

function flakyRow(row: CaseRecord, { flaky }: BaselineCase): CaseRecord {
  return flaky
    ? { ...row, label: 'flaky', cause: 'asked again on the same knowledge, it was answered differently' }
    : row
}

function timeLimit(timeMs: number | undefined): AbortSignal[] {
  return timeMs === undefined ? [] : [AbortSignal.timeout(timeMs)]
}

async function repairWith(
  parts: Parts,
  snapshot: Snapshot,
  baseline: ReadonlyMap<string, BaselineCase>,
  signal: AbortSignal,
  runId: string,
  request: ExecuteRequest,
): Promise<RepairResult> {
  const failing = [...baseline.values()].filter(
    ({ evaluation, flaky }) => evaluation.score.verdict === 'fail' && !flaky,
  )
  if (request.mode === 'evaluate' || failing.length === 0 || signal.aborted)
    return { snapshot, accepted: [], findings: new Map() }
  const { config } = request.project
  const current = new Map([...baseline].map(([id, { evaluation }]) => [id, evaluation]))
  // A benchmark that is green needs none of it.
  const [parser, { repairFailures }, { createDistinguisher }] = await Promise.all([
    loadSqlParser(),
    import('../repair/loop.js'),
    import('../repair/twins/distinguish.js'),
  ])
  return repairFailures({
    parser,
    dialect: parts.evaluator.agentDialect,
    expectedDialect: parts.dialectOf,
    kbFolder: config.kb,
    asOf: (testCase) => parts.evaluator.asOf(testCase),
    evaluator: parts.evaluator,
    concurrency: config.limits.concurrency,
    signal,
    benchmark: request.project.benchmark,
    current,
    named: new Set(request.named),
    distinguishes: createDistinguisher({
      parser,
      engineOf: parts.engineOf,
      dialectOf: parts.dialectOf,
      limits: parts.limits,
    }),
    snapshot,
    failing: failing.map(({ evaluation }) => evaluation),
    maxRetries: config.repair.maxRetries,
    minGrade: config.repair.minGrade,
    clock: () => performance.now(),
    onProgress: (asked, total) =>
      request.listener({ kind: 'verifying', title: 'whole benchmark', asked, total }),
    onStart: (count, causes) => request.listener({ kind: 'repair_started', cases: count, causes }),
    onAttempt(attempt, changes) {
      request.store.recordAttempt(runId, attempt, changes)
      request.listener({ kind: 'attempt_finished', attempt })
    },
  })
}

async function writeRepairs(
  accepted: readonly AcceptedRepair[],
  runId: string,
  request: ExecuteRequest,
): Promise<void> {
  if (accepted.length === 0) return
  await request.beforeWrite()
  const { root, kb, agents } = request.project.config
  const { openJournal } = await import('../edit/journal.js')
  const journal = await openJournal({ root, allowedRoots: [kb, agents], now: request.now, pid: process.pid })
  for (const { attempt, changes } of accepted) await journal.write(runId, attempt.id, changes)
}

/** Rows of the failing cases once repair is over. */
function settledRows(
  rows: ReadonlyMap<string, CaseRecord>,
  repaired: RepairResult,
  accepted: readonly AcceptedRepair[],
  mode: RunMode,
): CaseRecord[] {
  const kept = new Set(accepted.map(({ attempt }) => attempt.id))
  return [...repaired.findings].flatMap(([id, finding]) => {
    const row = rows.get(id)
    if (row === undefined) return []
    const { label, cause, retries } = finding
    const repairId =
      finding.repairId !== undefined && kept.has(finding.repairId) ? finding.repairId : undefined
    if (repairId === undefined) return [{ ...row, label, cause, retries }]
    return [
      {
        ...row,
        label,
        cause,
        retries,
        repairId,
        outcome: mode === 'dry_run' ? 'pending' : 'repaired',
        verdict: mode === 'dry_run' ? row.verdict : 'pass',
      } as const,
    ]
  })
}
