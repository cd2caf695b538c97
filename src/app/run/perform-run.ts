import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { checkFlags } from '../../cli/check-flags.js'
import type { CommandContext } from '../../cli/command-context.js'
import { displayPath } from '../../cli/display-path.js'
import { type ExitCode, exitCodeOf, exitCodeOfRun } from '../../cli/exit-code.js'
import type { RunFlags } from '../../cli/flags.js'
import { createPrinter, type RunPrinter } from '../../cli/print-run.js'
import type { GitState } from '../../git/inspect-repository.js'
import { checkReportFile, prepareReportFolder, writeReport } from '../../report/write.js'
import type { Decision, RunDetail, RunMode } from '../../store/records.js'
import type { RunStore } from '../../store/store.js'
import { checkOutsideKnowledge } from '../project/check-knowledge.js'
import { type OpenedProject, openProject, resolveFolder, storedOptionsOf } from '../project/open-project.js'
import { closeProjectParseCache } from '../project/parse-cache-lifecycle.js'
import { savePlan } from '../project/plan-file.js'
import { listOf, type Project } from '../project/project.js'
import { withProjectLock } from '../with-project-lock.js'
import { type ExecuteResult, executeRun } from './execute-run.js'
import { type SettleRequest, settleRepairs } from './settle-repairs.js'

export interface PerformedRun {
  readonly detail: RunDetail
  readonly exitCode: ExitCode
  readonly interrupted: boolean
}

/** One run as a user sees it: progress, summary, reports, and the question what becomes of the repairs. */
export async function performRun(flags: RunFlags, context: CommandContext): Promise<PerformedRun> {
  checkFlags(flags)
  for (const file of listOf(flags.output)) checkReportFile(file)
  try {
    const opened = await openProject(flags, context)
    try {
      return await performOpened(opened, context)
    } finally {
      opened.store.close()
    }
  } finally {
    closeProjectParseCache()
  }
}

async function performOpened(opened: OpenedProject, context: CommandContext): Promise<PerformedRun> {
  const { project, store, resume, flags } = opened
  const files = listOf(flags.output).map((file) => resolve(context.cwd, file))
  const record = resolveFolder(flags.record, context.cwd)
  checkOutsideKnowledge('--record', record === undefined ? [] : [record], project.config)
  checkOutsideKnowledge('--output', files, project.config)
  for (const file of files) await prepareReportFolder(file)
  for (const notice of store.notices) context.terminal.err(`warning  ${notice}`)
  const mode = resume?.mode ?? modeOf(flags)
  const printer = createPrinter(flags, context)
  const work = (): Promise<PerformedRun> => runAndSettle(opened, mode, printer, context)
  if (mode !== 'repair') return work()
  const note = (text: string): void => printer.listen({ kind: 'note', text })
  // Until the prompt is answered, too: what it commits or reverts must still be what this run wrote.
  return withProjectLock(project.config.root, note, work)
}

async function runAndSettle(
  opened: OpenedProject,
  mode: RunMode,
  printer: RunPrinter,
  context: CommandContext,
): Promise<PerformedRun> {
  const { project, store, resume, flags } = opened
  const summarize = (found: RunDetail): void =>
    printer.summary(found, displayPath(join(runFolder(project, found.run.id), 'report.md'), context.cwd))
  const finish = async (found: RunDetail, decision: Decision, exitCode: ExitCode): Promise<RunDetail> => {
    store.setDecision(found.run.id, decision, exitCode)
    const detail = { ...found, run: { ...found.run, decision, exitCode } }
    printer.end(detail, exitCode)
    await writeReports(detail, flags, project, context.cwd)
    return detail
  }
  let started: string | undefined
  let git: GitState = { kind: 'none', reason: 'nothing was written' }
  const result = await executeRun({
    project,
    mode,
    namedCaseIds: listOf(flags.id),
    resume,
    options: storedOptionsOf(flags, project, context.cwd),
    times: flags.repeat ?? 1,
    store,
    allowDirty: flags['allow-dirty'] === true,
    signal: context.signal,
    env: process.env,
    record: resolveFolder(flags.record, context.cwd),
    replay: resolveFolder(flags.replay, context.cwd),
    listener(event) {
      if (event.kind === 'run_started') started = event.run.id
      printer.listen(event)
    },
    now: context.now,
    async beforeWrite() {
      const { inspectRepository } = await import('../../git/inspect-repository.js')
      git = await inspectRepository(project.config.root)
    },
  }).catch(async (error: unknown) => {
    // What was found before it broke is worth reading all the same.
    if (started !== undefined) {
      const found = detailOf(store, started)
      summarize(found)
      await finish(found, 'none', exitCodeOf(error))
    }
    throw error
  })
  await savePlanOf(result, mode, project, store)
  const found = detailOf(store, result.runId)
  summarize(found)
  const decision = await decisionOn(result, mode, git, opened, context)
  const exitCode = exitCodeOfRun(found.cases, {
    ...result,
    interrupted: context.signal.aborted,
    decision,
  })
  // Read again only where a decision changed the repairs: ten thousand rows are worth keeping once.
  const detail = await finish(
    result.accepted.length > 0 ? detailOf(store, result.runId) : found,
    decision,
    exitCode,
  )
  await result.closed
  if (result.failure !== undefined) throw result.failure
  return { detail, exitCode, interrupted: result.interrupted }
}

/** What becomes of the repairs; the bytes from before stay in the run database. */
async function decisionOn(
  { runId, accepted }: ExecuteResult,
  mode: RunMode,
  git: GitState,
  { project, store, flags }: OpenedProject,
  context: CommandContext,
): Promise<Decision> {
  if (accepted.length === 0) return 'none'
  if (mode === 'dry_run') return 'pending'
  const { root, kb, agents } = project.config
  const how = howToSettle(flags, context)
  const { terminal, signal, now } = context
  const decision = await settleRepairs({ root, runId, accepted, git, how, store, terminal, signal })
  const { openJournal } = await import('../../edit/journal.js')
  const journal = await openJournal({ root, allowedRoots: [kb, agents], now, pid: process.pid })
  await journal.settle(runId)
  return decision
}

function modeOf(flags: RunFlags): RunMode {
  if (flags['no-repair'] === true) return 'evaluate'
  return flags['dry-run'] === true ? 'dry_run' : 'repair'
}

function howToSettle(flags: RunFlags, context: CommandContext): SettleRequest['how'] {
  if (flags.yes === true) return 'commit'
  if (flags['no-commit'] === true) return 'keep'
  return context.terminal.interactive ? 'ask' : 'leave'
}

function detailOf(store: RunStore, runId: string): RunDetail {
  const detail = store.runDetail(runId)
  if (detail === undefined) throw new Error(`run ${runId} is not in its database`)
  return detail
}

async function savePlanOf(
  result: ExecuteResult,
  mode: RunMode,
  project: Project,
  store: RunStore,
): Promise<void> {
  if (mode !== 'dry_run') return
  const { runId, accepted } = result
  const file = join(runFolder(project, runId), 'plan.json')
  // A run that goes on may find that what it had planned is needed no more.
  if (accepted.length === 0) await rm(file, { force: true })
  else await savePlan(file, runId, detailOf(store, runId).run.knowledge, accepted)
}

/** Folder of a run's reports, beside the run database of the project. */
export function runFolder(project: Pick<Project, 'config'>, runId: string): string {
  return join(project.config.root, 'reports', runId)
}

async function writeReports(
  detail: RunDetail,
  flags: RunFlags,
  project: Project,
  cwd: string,
): Promise<void> {
  const folder = runFolder(project, detail.run.id)
  const files = listOf(flags.output).map((file) => resolve(cwd, file))
  // At once: each waits for its disk.
  const reports = [join(folder, 'report.md'), join(folder, 'report.json'), ...files]
  await Promise.all(reports.map((file) => writeReport(detail, file)))
}
