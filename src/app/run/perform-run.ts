import { realpath, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import { AutotestError } from '../../errors.js'
import { checkReportFile, prepareReportFolder, showsHistory, writeReport } from '../../report/write.js'
import type { Decision, RunDetail, RunMode } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import { nearest } from '../../text/nearest-word.js'
import { type ExitCode, exitCodeOf, exitCodeOfRun } from '../exit-code.js'
import { checkOutsideKnowledge } from '../project/check-knowledge.js'
import { readDecisions } from '../project/decisions-file.js'
import { closeProjectParseCache } from '../project/parse-cache-lifecycle.js'
import { savePlan } from '../project/plan-file.js'
import type { Project } from '../project/project.js'
import { runFolder } from '../project/run-folder.js'
import { withProjectLock } from '../project/with-project-lock.js'
import { writablePlaces } from '../project/writable-places.js'
import { acceptHeldRepairs } from './accept-held-repairs.js'
import { type CompletedRun, type ExecutedRun, executeRun } from './execute-run.js'
import { type OpenedProject, openProject } from './open-project.js'
import { resumeHint } from './resume-hint.js'
import type { RunListener } from './run-events.js'
import { casesToFollow, openRunGates } from './run-gates.js'
import { runHistory } from './run-history.js'
import { checkRunRequest, type RunRequest, resolveFolder } from './run-request.js'
import { settleRepairs } from './settle-repairs.js'
import { storedOptionsOf } from './stored-options.js'
import type { Decide } from './user-decision.js'

/** The context of a run, besides its request. */
export interface RunContext {
  readonly listener: RunListener
  /** Called to settle the repairs if the request says `ask`; absent: nobody can be asked. */
  readonly decide?: Decide | undefined
  readonly signal: AbortSignal
  /** Environment variables, for the API keys of models. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
}

export interface PerformedRun {
  readonly detail: RunDetail
  readonly exitCode: ExitCode
  readonly interrupted: boolean
  /** Absolute paths of the reports that were written. */
  readonly reports: readonly string[]
}

/**
 * Performs one run from its request to its reports, including the decision about its repairs. A failing case
 * is a result; throws `AutotestError` for errors that prevented the run, or ended it.
 */
export async function performRun(request: RunRequest, context: RunContext): Promise<PerformedRun> {
  checkRunRequest(request)
  for (const file of request.reports ?? []) checkReportFile(file)
  try {
    const opened = await openProject(request, context.now)
    try {
      return await performOpened(opened, context)
    } finally {
      opened.store.close()
    }
  } finally {
    closeProjectParseCache()
  }
}

async function performOpened(opened: OpenedProject, context: RunContext): Promise<PerformedRun> {
  const { project, store, request } = opened
  await checkPlaces(opened)
  checkFollowedCases(request.followBenchmark ?? [], project)
  for (const text of store.notices) context.listener({ kind: 'warning', text })
  const mode = request.mode ?? 'repair'
  const rejected = mode === 'evaluate' ? [] : await readDecisions(project.config.root)
  const gates = { root: await realpath(project.config.root), store, now: context.now() }
  const answered = mode === 'evaluate' ? [] : casesToFollow(gates)
  for (const { gate, cases } of answered)
    context.listener({
      kind: 'note',
      text: `gate ${gate.id}: the benchmark is right about ${cases.join(', ')}`,
    })
  const followed = [...(request.followBenchmark ?? []), ...answered.flatMap(({ cases }) => cases)]
  const work = async (): Promise<PerformedRun> => {
    const performed = await runAndSettle(
      { ...opened, request: { ...request, followBenchmark: followed } },
      mode,
      rejected,
      context,
    )
    if (mode === 'repair' && !performed.interrupted)
      for (const { gate } of answered) store.gates.finish(gate.id, context.now())
    return performed
  }
  if (mode !== 'repair') return work()
  const note = (text: string): void => context.listener({ kind: 'note', text })
  // The lock is kept until the question is answered: what is committed or reverted must still be what this
  // run wrote.
  return withProjectLock(project.config.root, note, async () => {
    const { finishCommits } = await import('./finish-commits.js')
    if (request.commit === 'always') await finishCommits({ root: project.config.root, store, ...context })
    return work()
  })
}

/** Throws `usage` for a case to follow that does not exist. */
function checkFollowedCases(ids: readonly string[], { benchmark }: Project): void {
  const known = benchmark.map(({ id }) => id)
  const unknown = ids.find((id) => !known.includes(id))
  if (unknown === undefined) return
  const meant = nearest(unknown, known)
  throw new AutotestError('usage', `--follow-benchmark ${unknown}: no such case`, {
    hint: meant === undefined ? 'autotest --list shows the cases.' : `Did you mean ${meant}?`,
  })
}

/** Refuses output paths in the knowledge base, and creates the folders of report files. */
async function checkPlaces({ project, request }: OpenedProject): Promise<void> {
  const record = resolveFolder(request.record, request.cwd)
  const files = namedReports(request)
  checkOutsideKnowledge('--record', record === undefined ? [] : [record], project.config)
  checkOutsideKnowledge('--output', files, project.config)
  for (const file of files) await prepareReportFolder(file)
}

async function runAndSettle(
  opened: OpenedProject,
  mode: RunMode,
  rejected: readonly RejectedRepair[],
  context: RunContext,
): Promise<PerformedRun> {
  const executed = await executeOpened(opened, mode, rejected, context)
  if (executed.kind === 'broken') {
    // The results before the failure are still useful.
    const found = announceResults(executed.runId, opened, context)
    await finish(found, 'none', exitCodeOf(executed.error), opened, context)
    await executed.closed
    throw executed.error
  }
  const { store, project } = opened
  await savePlanOf(executed, mode, project, store)
  const announced = announceResults(executed.runId, opened, context)
  const settled = await withHeldRepairs(executed, announced, mode, opened, context)
  const found = settled === executed ? announced : detailOf(store, executed.runId)
  const decision = await decisionOn(settled, mode, opened, context)
  const interrupted = context.signal.aborted
  const exitCode = exitCodeOfRun(found.cases, { ...executed, interrupted, decision })
  if (exitCode === 2) announceIncomplete(found, executed, context)
  // Read again only if a decision changed the repairs: ten thousand rows are kept in memory once.
  const last = settled.accepted.length > 0 ? detailOf(store, executed.runId) : found
  const finished = await finish(last, decision, exitCode, opened, context)
  await executed.closed
  if (executed.failure !== undefined) throw executed.failure
  return { ...finished, exitCode, interrupted: executed.interrupted }
}

/** Says why a run fails in which no case failed. */
function announceIncomplete(
  { cases }: RunDetail,
  { unusable, unlisted }: CompletedRun,
  { listener }: RunContext,
): void {
  const note = (text: string): void => listener({ kind: 'note', text })
  const skipped = cases.filter(({ outcome }) => outcome === 'skipped')
  if (skipped.length > 0) note(`the run fails: ${skipped.length} of ${cases.length} cases were not evaluated`)
  if (unlisted.length > 0) note(`the run fails: the cases of ${unlisted.join(', ')} were not evaluated`)
  if (unusable.length > 0 && skipped.length === 0)
    note(`every case passed, but the run fails: ${unusable.join(', ')} cannot be used (autotest kb check)`)
}

function executeOpened(
  { domain, project, store, resume, request }: OpenedProject,
  mode: RunMode,
  rejected: readonly RejectedRepair[],
  { listener, signal, env, now }: RunContext,
): Promise<ExecutedRun> {
  return executeRun({
    domain,
    project,
    mode,
    namedCaseIds: request.ids ?? [],
    rejected,
    followBenchmark: request.followBenchmark ?? [],
    resume,
    options: storedOptionsOf(request, project),
    times: request.repeat ?? 1,
    store,
    allowDirty: request.allowDirty === true,
    env,
    record: resolveFolder(request.record, request.cwd),
    replay: resolveFolder(request.replay, request.cwd),
    signal,
    listener,
    now,
  })
}

function announceResults(
  runId: string,
  { project, store }: OpenedProject,
  { listener }: RunContext,
): RunDetail {
  const detail = detailOf(store, runId)
  listener({ kind: 'results_ready', detail, reportFile: join(runFolder(project, runId), 'report.md') })
  return detail
}

/** Adds the repairs that were held and that a person accepts now. */
async function withHeldRepairs(
  executed: CompletedRun,
  detail: RunDetail,
  mode: RunMode,
  { project, store, request }: OpenedProject,
  { listener, decide, now }: RunContext,
): Promise<CompletedRun> {
  if (mode !== 'repair' || request.commit !== 'ask' || decide === undefined || executed.interrupted)
    return executed
  const places = writablePlaces(project.config)
  const { inspectRepository } = await import('../../git/inspect-repository.js')
  const git = executed.accepted.length > 0 ? executed.git : await inspectRepository(places.root)
  const accepted = await acceptHeldRepairs({ places, detail, store, decide, listener, now })
  return accepted.length === 0
    ? executed
    : { ...executed, git, accepted: [...executed.accepted, ...accepted] }
}

/** Settles the repairs; the original bytes stay in the run database. */
async function decisionOn(
  { runId, accepted, git }: CompletedRun,
  mode: RunMode,
  { project, store, request }: OpenedProject,
  { listener, decide, now, signal }: RunContext,
): Promise<Decision> {
  if (accepted.length === 0) return 'none'
  if (mode === 'dry_run') return 'pending'
  const { root } = project.config
  const { commit } = request
  const decision = await settleRepairs({
    ...{ root, runId, accepted, git, commit, decide },
    ...{ store, listener, now, signal },
  })
  const { openJournal } = await import('../../edit/journal.js')
  const journal = await openJournal({ ...writablePlaces(project.config), now, pid: process.pid })
  await journal.settle(runId)
  return decision
}

/** Stores and reports how the run ended, and writes the reports. */
async function finish(
  found: RunDetail,
  decision: Decision,
  exitCode: ExitCode,
  { project, store, request }: OpenedProject,
  { listener, now }: RunContext,
): Promise<Pick<PerformedRun, 'detail' | 'reports'>> {
  store.setDecision(found.run.id, decision, exitCode)
  if (found.run.mode !== 'evaluate')
    openRunGates(found, decision, { root: await realpath(project.config.root), store, now: now() })
  const detail = { ...found, run: { ...found.run, decision, exitCode } }
  listener({ kind: 'run_finished', detail, exitCode, hint: resumeHint(detail, exitCode, request) })
  const folder = runFolder(project, detail.run.id)
  const reports = [join(folder, 'report.md'), join(folder, 'report.json'), ...namedReports(request)]
  // Concurrently: each waits for the disk.
  const history = reports.some(showsHistory) ? runHistory(store, detail) : undefined
  await Promise.all(reports.map((file) => writeReport(detail, file, process.env, history)))
  listener({ kind: 'reports_written', files: reports })
  return { detail, reports }
}

/** Returns the absolute paths of the report files in the request. */
function namedReports({ reports = [], cwd }: RunRequest): string[] {
  return reports.map((file) => resolve(cwd, file))
}

function detailOf(store: RunStore, runId: string): RunDetail {
  const detail = store.runDetail(runId)
  if (detail === undefined) throw new Error(`run ${runId} is not in its database`)
  return detail
}

async function savePlanOf(
  { runId, accepted }: CompletedRun,
  mode: RunMode,
  project: Project,
  store: RunStore,
): Promise<void> {
  if (mode !== 'dry_run') return
  const file = join(runFolder(project, runId), 'plan.json')
  // A resumed run may find that its former plan is no longer needed.
  if (accepted.length === 0) await rm(file, { force: true })
  else await savePlan(file, runId, detailOf(store, runId).run.knowledge, accepted)
}
