import { join, resolve } from 'node:path'
import { AutotestError } from '../../errors.js'
import { checkReportFile, writeReport, writeReportText } from '../../report/write.js'
import type { RunMode } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import type { ExitCode } from '../exit-code.js'
import { openProjectStore } from '../project/project-store.js'
import { runFolder } from '../project/run-folder.js'
import { timingsFile, timingsText } from '../project/shard.js'
import { loadRunDomain } from '../run/load-run-domain.js'
import { type PerformedRun, performRun, type RunContext } from '../run/perform-run.js'
import { runHistory } from '../run/run-history.js'
import type { RunRequest } from '../run/run-request.js'
import { checkTogether, type FoundShard, readShards } from './read-shards.js'

export interface MergeRequest
  extends Pick<RunRequest, 'cwd' | 'config' | 'db' | 'reports' | 'commit' | 'allowDirty'> {
  /** Folders of reports, as typed. */
  readonly folders: readonly string[]
  /** Whether what failed is repaired afterwards, once; `evaluate`: no. */
  readonly mode: RunMode
  /** Whether times of cases are written for later shards. */
  readonly timings: boolean
}

/**
 * Makes one run of all parts of a benchmark, with their answers and calls of models, and repairs what failed if that is
 * asked for. Throws `usage` and `run_unknown` for parts that do not belong together.
 */
export async function mergeShards(request: MergeRequest, context: RunContext): Promise<PerformedRun> {
  const { cwd, folders, mode, reports = [] } = request
  for (const file of reports) checkReportFile(file)
  const shards = await readShards(folders, (folder) => resolve(cwd, folder), context.now)
  const first = checkTogether(shards)
  const { options } = first.detail.run
  const { shard: _part, sharded: _whole, ...shared } = options
  const { project } = await loadRunDomain({ ...request, ...selectionOf(shared) })
  const order = new Map(project.selected.map(({ id }, at) => [id, at]))
  checkBenchmark(shards, order)
  const { store, config } = await openProjectStore(request, context.now)
  let runId: string
  try {
    runId = writeMerged(store, shards, order, { root: config.root, mode, options: shared })
    if (request.timings) await writeReportText(join(config.root, timingsFile), timingsText(timesOf(shards)))
    if (mode === 'evaluate') return await reportMerged(store, runId, shards, request, context, config.root)
  } finally {
    store.close()
  }
  return performRun({ ...request, mode, resume: { run: runId } }, context)
}

/** Throws `usage` for parts of another benchmark than the one that is here. */
function checkBenchmark(shards: readonly FoundShard[], order: ReadonlyMap<string, number>): void {
  const total = shards.reduce((sum, { detail }) => sum + detail.cases.length, 0)
  const unknown = shards.flatMap(({ detail }) => detail.cases).find(({ caseId }) => !order.has(caseId))
  if (unknown === undefined && total <= order.size) return
  const what = unknown === undefined ? '' : `: ${unknown.caseId} is not here`
  throw new AutotestError('usage', `the shards are of another benchmark than the one of this folder${what}`, {
    hint: 'Merge in a checkout of the commit that the shards ran.',
  })
}

/** Returns the flags that select cases, as a request has them. */
function selectionOf(options: Readonly<Record<string, unknown>>) {
  const list = (value: unknown): string[] | undefined =>
    Array.isArray(value) ? value.map(String) : undefined
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
  return {
    ...{ benchmark: list(options['benchmark']), tags: list(options['tags']), ids: list(options['id']) },
    ...{ agent: text(options['agent']), kb: text(options['kb']) },
  }
}

/** Writes a run with the rows of all parts. One that is to be repaired is like one that was interrupted after it asked. */
function writeMerged(
  store: RunStore,
  shards: readonly FoundShard[],
  order: ReadonlyMap<string, number>,
  { root, mode, options }: { root: string; mode: RunMode; options: Readonly<Record<string, unknown>> },
): string {
  const runs = shards.map(({ detail }) => detail.run)
  const [first] = runs
  if (first === undefined) throw new Error('no shards')
  const startedAt = runs.map((run) => run.startedAt).sort()[0] ?? first.startedAt
  const finishedAt = runs
    .map((run) => run.finishedAt ?? run.startedAt)
    .sort()
    .at(-1)
  const total = shards.reduce((sum, { detail }) => sum + detail.run.total, 0)
  const { engine, agent, dialect, knowledge } = first
  const runId = store.createRun({ root, engine, agent, dialect, knowledge, startedAt, total, mode, options })
  for (const { detail, traces } of shards) {
    const records = detail.cases.map((record) => {
      const sample = { ...record.sample, trace: traces.get(record.caseId) }
      return { ...record, sample, position: order.get(record.caseId) ?? record.position }
    })
    store.recordCases(runId, records)
  }
  for (const { answers } of shards) for (const answer of answers) store.recordAnswer(runId, answer)
  store.addLlmCallRows(
    runId,
    shards.flatMap(({ llmCalls }) => llmCalls),
  )
  for (const { detail } of shards) store.addEngineUses(runId, detail.engines ?? [])
  const status = mode === 'evaluate' ? 'finished' : 'interrupted'
  store.finishRun(runId, { status, finishedAt, knowledgeAfter: knowledge })
  return runId
}

async function reportMerged(
  store: RunStore,
  runId: string,
  shards: readonly FoundShard[],
  { reports = [], cwd }: MergeRequest,
  { listener }: RunContext,
  root: string,
): Promise<PerformedRun> {
  const exitCode = exitCodeOfShards(shards)
  store.setDecision(runId, 'none', exitCode)
  const detail = store.runDetail(runId)
  if (detail === undefined) throw new Error(`run ${runId} was written and has no rows`)
  const folder = runFolder({ config: { root } }, runId)
  const file = join(folder, 'report.md')
  listener({ kind: 'results_ready', detail, reportFile: file })
  listener({ kind: 'run_finished', detail, exitCode, hint: undefined })
  const files = [file, join(folder, 'report.json'), ...reports.map((each) => resolve(cwd, each))]
  const history = runHistory(store, detail)
  await Promise.all(files.map((each) => writeReport(detail, each, process.env, history)))
  listener({ kind: 'reports_written', files })
  return { detail, reports: files, exitCode, interrupted: false }
}

/** The first of 3, 4, 2 and 1 that a part ended with. */
function exitCodeOfShards(shards: readonly FoundShard[]): ExitCode {
  const codes = new Set(shards.map(({ detail }) => detail.run.exitCode))
  return ([3, 4, 2, 1] as const).find((code) => codes.has(code)) ?? 0
}

function timesOf(shards: readonly FoundShard[]): Map<string, number> {
  return new Map(shards.flatMap(({ detail }) => detail.cases.map(({ caseId, ms }) => [caseId, ms] as const)))
}
