import type { SqlCase } from '../../benchmark/case.js'
import { isInfrastructureFailure } from '../../cli/exit-code.js'
import { type AutotestError, messageOf } from '../../errors.js'
import type { Estimate } from '../../llm/llm.js'
import type { AcceptedRepair } from '../../repair/input.js'
import { nondeterministicRepetitions } from '../../repair/verify/context.js'
import { formatAnswerCounts, repeatStatisticsOf } from '../../report/repeat-statistics.js'
import { type BaselineCase, effectiveRepeatCount, type KnownCase, runBaseline } from '../../run/baseline.js'
import { baselineRecord, fingerprintOf, sampleRecord } from '../../run/case-records.js'
import { loadSnapshot } from '../../snapshot/load.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { CaseRecord, RunRecord } from '../../store/records.js'
import { type RunComponents, withComponentsDeferredClose } from '../compose.js'
import { selectRepairers } from '../models/llm-requirements.js'
import { type LlmRun, openLlmRun } from '../models/llm-run.js'
import { checkKnowledge } from '../project/check-knowledge.js'
import { knowledgeProblems } from '../project/knowledge-problems.js'
import { type Deadline, startDeadline } from './deadline.js'
import type { ExecuteRequest } from './execute-request.js'
import {
  emptyRepairResult,
  repairBaseline,
  settledRows,
  warnDirtyFiles,
  writeRepairs,
} from './repair-step.js'
import { evaluationConditions, reusableCases } from './reusable-answers.js'

export interface ExecuteResult {
  readonly runId: string
  /** Written to the working tree, unless the run is a dry run. */
  readonly accepted: readonly AcceptedRepair[]
  readonly interrupted: boolean
  readonly budgetExhausted: boolean
  /** Whether agent or engine broke while a plan was verified. */
  readonly unverified: boolean
  /** What ended the run before every cause was tried; what was proved before is written all the same. */
  readonly failure: AutotestError | undefined
}

/** What a run came to, while the processes of its engine and its agent end. */
export interface ExecutedRun extends ExecuteResult {
  readonly closed: Promise<void>
}

const flakyRepeats = 2

const normalEnd = { budgetExhausted: false, unverified: false, failure: undefined } as const

/**
 * One run: baseline, repair, write. Everything found is in the run database when it returns or throws. A run that may
 * write is made by whoever holds the project's lock.
 */
export async function executeRun(request: ExecuteRequest): Promise<ExecutedRun> {
  if (request.mode === 'repair') markAbandonedRuns(request)
  return composeAndRun(request)
}

/** Runs that nobody goes on with were killed. */
function markAbandonedRuns({ store, project, now }: ExecuteRequest): void {
  for (const { id, knowledgeAfter } of store.unfinishedRuns(project.config.root)) {
    if (!store.isHeld(id))
      store.finishRun(id, { status: 'interrupted', finishedAt: now().toISOString(), knowledgeAfter })
  }
}

async function composeAndRun(request: ExecuteRequest): Promise<ExecutedRun> {
  const { config } = request.project
  const deadline = startDeadline(config.budget.timeMs)
  const { snapshot, problems } = await loadSnapshot(config.root, [config.kb, config.agents])
  const note = (text: string): void => request.listener({ kind: 'note', text })
  for (const text of knowledgeProblems(snapshot, config.kb, problems)) note(text)
  if (config.agent.kind === 'template' && problems.length === 0)
    await checkKnowledge(
      snapshot,
      config,
      'The template agent answers from it: set `kb` in autotest.config.yaml (or --kb) to its folder, or choose another agent.',
    )
  if (config.engine === undefined)
    note('no engine is configured: queries are compared by structure only (set `engine`, or give --engine)')
  const llm = await openLlmRun(request, snapshot)
  const options = {
    config,
    today: request.now().toISOString().slice(0, 10),
    onProgress: note,
    llm: llm?.parts,
  }
  const { result, closed } = await withComponentsDeferredClose(options, request.signal, (parts) =>
    runWithComponents(parts, snapshot, request, llm, deadline),
  )
  return { ...result, closed }
}

async function runWithComponents(
  parts: RunComponents,
  snapshot: Snapshot,
  request: ExecuteRequest,
  llm: LlmRun | undefined,
  deadline: Deadline,
): Promise<ExecuteResult> {
  const { store, project, mode } = request
  const run = startRun(parts, snapshot, request)
  llm?.begin(run.id)
  const under = evaluationConditions(parts, project)
  const times = effectiveRepeatCount(parts.evaluator, request.times)
  const known = reusableCases(run, request, under, snapshot, times)
  const asks = { cases: project.selected.length, times }
  let asked = [...known.values()]
    .flatMap(({ answers }) => [...answers.keys()])
    .filter((number) => number < times).length
  const resumed = {
    known: asked,
    of: asks.cases * times,
    what: times === 1 ? 'cases' : 'answers',
  } as const
  request.listener({ kind: 'run_started', run, resumed })
  const note = (text: string): void => request.listener({ kind: 'note', text })
  if (times < request.times)
    note(
      `agent ${parts.agent.name} answers alike each time: every case is asked once, --repeat changes nothing`,
    )
  if (project.config.agent.kind === 'llm') {
    llm?.noteCallBudget(asks, asked, minimumRepairCalls(request, parts, times), note)
    await llm?.noteSizeBudget(() => estimatesOf(parts, snapshot, project.selected, times, known), note)
  }
  let exhausted = false
  const rows = new Map<string, CaseRecord>()
  let done = 0
  const keep = (row: CaseRecord): void => {
    if (row.outcome !== 'passed') rows.set(row.caseId, row)
    store.recordCases(run.id, [row])
  }
  let status: RunRecord['status'] = 'failed'
  let knowledgeAfter: string | undefined
  let failure: string | undefined
  try {
    const baseline = await runBaseline({
      cases: project.selected,
      snapshot,
      evaluator: parts.evaluator,
      // Twice as many cases as questions at once: while some are scored, the agent is not left idle.
      concurrency: 2 * project.config.limits.concurrency,
      times,
      repeats: flakyRepeats,
      repeatsLast: llm !== undefined,
      known,
      signal: request.signal,
      deadline: deadline.signal,
      keepPassing: mode !== 'evaluate',
      onExhausted(error) {
        exhausted = true
        const enough = llm?.requiredCallBudget(asks, asked)
        note(
          `${error.message}: nothing is repaired (${error.hint})${enough === undefined ? '' : `; ${enough}`}`,
        )
      },
      onAnswer(evaluation, number) {
        if (number < times) asked++
        const { testCase, score } = evaluation
        // What is right at its only answer has its row at once, and what is always answered alike needs no other.
        if (parts.agent.deterministic || (times === 1 && number === 0 && score.verdict !== 'fail')) return
        const fingerprint = fingerprintOf(testCase, under)
        const sample = sampleRecord(evaluation)
        store.recordAnswer(run.id, { caseId: testCase.id, number, fingerprint, sample })
        if (times > 1 && number < times)
          request.listener({ kind: 'answered', done: asked, total: asks.cases * times })
      },
      onCase(result) {
        const row = answeredRow(baselineRecord(result.evaluation, result.position, under), result)
        keep(row)
        request.listener({
          kind: 'case_finished',
          record: row,
          done: ++done,
          total: project.selected.length,
        })
      },
    })
    const late = deadline.signal.aborted
    const repaired =
      exhausted || late
        ? emptyRepairResult(snapshot)
        : await repairBaseline(
            parts,
            snapshot,
            baseline,
            AbortSignal.any([request.signal, deadline.signal]),
            run.id,
            request,
            llm,
          )
    const isBudget = repaired.abortedBy?.code === 'budget_exhausted'
    if (isBudget) {
      exhausted = true
      note(`${repaired.abortedBy?.message}: the causes left were not tried (${repaired.abortedBy?.hint})`)
    }
    for (const text of repaired.unverified) note(`a repair could not be verified: ${text}`)
    const ended = isBudget || request.signal.aborted ? undefined : repaired.abortedBy
    failure = ended?.message
    const expired = deadline.signal.aborted && !request.signal.aborted
    const accepted = request.signal.aborted ? [] : repaired.accepted
    await warnDirtyFiles(accepted, request)
    await writeRepairs(accepted, repaired.accepted, run.id, request)
    for (const row of settledRows(rows, repaired, accepted, mode)) keep(row)
    knowledgeAfter = accepted.length > 0 && mode === 'repair' ? repaired.snapshot.hash : snapshot.hash
    status = request.signal.aborted ? 'interrupted' : ended === undefined ? 'finished' : 'failed'
    if (expired)
      note(
        `--max-time passed after ${deadline.elapsed()}: ${late ? `${done} of ${asks.cases} cases came to their end, nothing is repaired` : 'the causes left were not tried'}`,
      )
    return {
      runId: run.id,
      accepted,
      interrupted: request.signal.aborted,
      budgetExhausted: expired || exhausted,
      unverified: repaired.unverified.length > 0,
      failure: ended,
    }
  } catch (error) {
    // What an interrupt closed is no fault of its own, and nothing was written yet.
    if (request.signal.aborted && isInfrastructureFailure(error)) {
      status = 'interrupted'
      return { runId: run.id, accepted: [], interrupted: true, ...normalEnd }
    }
    failure = messageOf(error)
    throw error
  } finally {
    store.finishRun(run.id, { status, finishedAt: request.now().toISOString(), knowledgeAfter, failure })
  }
}

/**
 * Calls to models that any repair takes: its failure again, a plan where no rules may make it first, its case with the plan, and
 * the cases that a filter left out. Undefined where nothing is repaired, or where a run goes on that may have made them.
 */
function minimumRepairCalls(
  { project, mode, resume, env, replay }: ExecuteRequest,
  { agent }: RunComponents,
  times: number,
): number | undefined {
  const { config, benchmark, selected } = project
  if (mode === 'evaluate' || resume !== undefined || config.repair.maxRetries === 0) return undefined
  const again = agent.deterministic ? 0 : Math.max(0, flakyRepeats + 1 - times)
  const plan = selectRepairers(config, { env, replay })[0] === 'rules' ? 0 : 1
  const proof = agent.deterministic ? 1 : nondeterministicRepetitions
  return again + plan + proof + benchmark.length - selected.length
}

/** Of every answer that is to be asked for. */
async function estimatesOf(
  { evaluator }: RunComponents,
  snapshot: Snapshot,
  cases: readonly SqlCase[],
  times: number,
  known: ReadonlyMap<string, KnownCase>,
): Promise<(Estimate | undefined)[]> {
  const estimates: (Estimate | undefined)[] = []
  for (const testCase of cases)
    for (let number = 0; number < times; number++)
      if (known.get(testCase.id)?.answers.has(number) !== true)
        estimates.push(await evaluator.estimate(testCase, snapshot, number))
  return estimates
}

function startRun(parts: RunComponents, snapshot: Snapshot, request: ExecuteRequest): RunRecord {
  if (request.resume !== undefined) {
    request.store.forgetAttempts(request.resume.id)
    return request.resume
  }
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

function answeredRow(row: CaseRecord, { flaky, answers }: BaselineCase): CaseRecord {
  const known = answers === undefined ? row : { ...row, answers }
  if (!flaky) return known
  const repeats = repeatStatisticsOf({ answers, label: 'flaky' })
  const cause = repeats?.passed
    ? formatAnswerCounts(repeats)
    : 'asked again on the same knowledge, it was answered differently'
  return { ...known, label: 'flaky', cause }
}
