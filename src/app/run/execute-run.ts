import { type AutotestError, messageOf } from '../../errors.js'
import type { GitState } from '../../git/inspect-repository.js'
import { describeNotCheckedOut } from '../../git/not-checked-out.js'
import type { AcceptedRepair, RepairResult } from '../../repair/model/repair-input.js'
import type { RunRecord } from '../../store/record-types.js'
import { isInfrastructureFailure } from '../exit-code.js'
import { absentBelow, absentError, agentFiles, notCheckedOut } from '../project/checkout.js'
import { loadKnowledge } from '../project/load-knowledge.js'
import { withClosing } from '../with-closing.js'
import { announceRun } from './announce-run.js'
import { measureBaseline } from './baseline-step.js'
import { startDeadline } from './deadline.js'
import { openLlmRun } from './llm-run.js'
import { repairFailingCases } from './repair-step.js'
import { rollBackOwnWrites } from './roll-back-own-writes.js'
import type { ExecuteRequest, MeasuredBaseline, OpenedRun, RunParts, StartedRun } from './run-state.js'
import { startRun } from './start-run.js'
import { writeStep } from './write-step.js'

/** The result of a run. */
export interface CompletedRun {
  readonly kind: 'completed'
  readonly runId: string
  /** Written to the working tree, unless the run is a dry run. */
  readonly accepted: readonly AcceptedRepair[]
  /** The repository before anything was written. */
  readonly git: GitState
  readonly interrupted: boolean
  readonly budgetExhausted: boolean
  /** Whether agent or engine failed while a plan was verified. */
  readonly unverified: boolean
  /** Paths of knowledge files that cannot be used after the run. */
  readonly unusable: readonly string[]
  /** Benchmark files that are not on disk, whose cases are not known. */
  readonly unlisted: readonly string[]
  /** The reason why the run ended before every cause was tried; repairs verified before are still written. */
  readonly failure: AutotestError | undefined
}

/** A run that was ended by an error; earlier results are in the run database. */
export interface BrokenRun {
  readonly kind: 'broken'
  readonly runId: string
  readonly error: unknown
}

/** An ended run, while the processes of its engine and its agent are closing. */
export type ExecutedRun = (CompletedRun | BrokenRun) & { readonly closed: Promise<void> }

/**
 * Performs one run: baseline, repair, write. All results are in the run database when it returns. For a run
 * that may write, the caller must have the project's lock. Throws errors that prevent the run from starting.
 */
export async function executeRun(request: ExecuteRequest): Promise<ExecutedRun> {
  if (request.mode === 'repair') markAbandonedRuns(request)
  if (request.resume !== undefined) await rollBackOwnWrites(request.resume, request)
  const opened = await openRun(request)
  const options = {
    today: request.now().toISOString().slice(0, 10),
    onProgress: (text: string) => request.listener({ kind: 'note', text }),
    llm: opened.llm?.parts,
    env: request.env,
    signal: request.signal,
  }
  const open = (): Promise<RunParts> => request.domain.open(options)
  const { result, closed } = await withClosing(open, request.signal, async (parts) => {
    const started = startRun(opened, parts)
    const ending = await takeSteps(started).catch((error: unknown) => breakOff(started, error))
    recordEnding(started, ending)
    return ending.result
  })
  return { ...result, closed }
}

/** Marks runs that no process continues as killed. */
function markAbandonedRuns({ store, project, now }: ExecuteRequest): void {
  for (const { id, knowledgeAfter } of store.unfinishedRuns(project.config.root)) {
    if (!store.isHeld(id))
      store.finishRun(id, { status: 'interrupted', finishedAt: now().toISOString(), knowledgeAfter })
  }
}

/** Reads the knowledge, reports its problems, and opens the models of the run. */
async function openRun(request: ExecuteRequest): Promise<OpenedRun> {
  const { config } = request.project
  const deadline = startDeadline(config.budget.timeMs)
  const loaded = await loadKnowledge(config)
  const { snapshot, problems } = loaded
  await announceAbsent(request)
  await request.domain.checkKnowledge(loaded, (text) => request.listener({ kind: 'note', text }))
  const unread = problems.map(({ path }) => path)
  return { request, deadline, snapshot, unread, llm: await openLlmRun(request, snapshot) }
}

/** Says what the project has in git and not on disk. Throws `agent_invalid` where that is the agent. */
async function announceAbsent({ project, listener }: ExecuteRequest): Promise<void> {
  const { config } = project
  const absent = await notCheckedOut(config)
  for (const text of describeNotCheckedOut(absent)) listener({ kind: 'warning', text })
  const agent = absentBelow(absent, config.root, agentFiles(config))
  if (agent.length > 0) throw absentError('agent_invalid', 'the agent cannot be started', agent)
}

/** The outcome of a run, and what the run database stores about it. */
interface Ending {
  readonly result: CompletedRun | BrokenRun
  readonly status: RunRecord['status']
  readonly knowledgeAfter: string | undefined
  /** The reason why it ended, in words. */
  readonly failure: string | undefined
}

async function takeSteps(started: StartedRun): Promise<Ending> {
  await announceRun(started)
  const baseline = await started.parts.labelBaseline(started, await measureBaseline(started))
  const repaired = await repairFailingCases(started, baseline)
  announceRepairProblems(started, repaired)
  const conclusion = conclude(started, baseline, repaired)
  const { git, accepted } = await writeStep(started, conclusion.accepted, repaired, baseline)
  if (conclusion.isExpired) announceExpiry(started, baseline)
  return endingOf(started, { ...conclusion, accepted }, repaired, git)
}

/** The result of baseline and repair, before anything is written. */
interface Conclusion {
  /** The repairs that are kept. */
  readonly accepted: readonly AcceptedRepair[]
  /** Whether the run's time limit has passed. */
  readonly isExpired: boolean
  readonly isExhausted: boolean
  /** The reason why repairing ended early, unless it was a budget or an interrupt. */
  readonly failure: AutotestError | undefined
}

function conclude(
  { request, deadline }: StartedRun,
  { isExhausted }: MeasuredBaseline,
  { accepted, abortedBy }: RepairResult,
): Conclusion {
  const { aborted } = request.signal
  const isBudget = abortedBy?.code === 'budget_exhausted'
  return {
    accepted: aborted ? [] : accepted,
    isExpired: deadline.signal.aborted && !aborted,
    isExhausted: isExhausted || isBudget,
    failure: isBudget || aborted ? undefined : abortedBy,
  }
}

function endingOf(
  { request, run, snapshot, unread }: StartedRun,
  { accepted, isExpired, isExhausted, failure }: Conclusion,
  repaired: RepairResult,
  git: GitState,
): Ending {
  // An interrupt after the last repair was written or planned leaves nothing to resume.
  const interrupted = request.signal.aborted && accepted.length === 0
  const isWritten = accepted.length > 0 && request.mode === 'repair'
  return {
    result: {
      kind: 'completed',
      runId: run.id,
      accepted,
      git,
      interrupted,
      budgetExhausted: isExpired || isExhausted,
      unverified: repaired.unverified.length > 0,
      unusable: request.domain.unusable(isWritten ? repaired.snapshot : snapshot, unread),
      unlisted: request.project.unlisted.map(({ path }) => path),
      failure,
    },
    status: interrupted ? 'interrupted' : failure === undefined ? 'finished' : 'failed',
    knowledgeAfter: isWritten ? repaired.snapshot.hash : snapshot.hash,
    failure: failure?.message,
  }
}

function breakOff({ request, run }: StartedRun, error: unknown): Ending {
  // An error after an interrupt is caused by it, and nothing was written yet.
  if (request.signal.aborted && isInfrastructureFailure(error))
    return {
      result: interruptedRun(run.id),
      status: 'interrupted',
      knowledgeAfter: undefined,
      failure: undefined,
    }
  return {
    result: { kind: 'broken', runId: run.id, error },
    status: 'failed',
    knowledgeAfter: undefined,
    failure: messageOf(error),
  }
}

function interruptedRun(runId: string): CompletedRun {
  return {
    kind: 'completed',
    runId,
    accepted: [],
    git: { kind: 'none', reason: 'nothing was written' },
    interrupted: true,
    budgetExhausted: false,
    unverified: false,
    unusable: [],
    unlisted: [],
    failure: undefined,
  }
}

function recordEnding(
  { request, run, parts }: StartedRun,
  { status, knowledgeAfter, failure }: Ending,
): void {
  const finishedAt = request.now().toISOString()
  request.store.addEngineUses(run.id, parts.engineUses?.() ?? [])
  request.store.finishRun(run.id, { status, finishedAt, knowledgeAfter, failure })
}

function announceRepairProblems({ request }: StartedRun, { abortedBy, unverified }: RepairResult): void {
  const note = (text: string): void => request.listener({ kind: 'note', text })
  if (abortedBy?.code === 'budget_exhausted')
    note(`${abortedBy.message}: the remaining causes were not tried (${abortedBy.hint})`)
  for (const text of unverified) note(`a repair could not be verified: ${text}`)
}

function announceExpiry({ request, deadline }: StartedRun, { isLate, finished }: MeasuredBaseline): void {
  const { length } = request.project.selected
  const consequence = isLate
    ? `${finished} of ${length} cases finished, nothing is repaired`
    : 'the remaining causes were not tried'
  request.listener({
    kind: 'note',
    text: `--max-time reached after ${deadline.elapsed()}: ${consequence}`,
  })
}
