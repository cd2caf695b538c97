import type { SqlCase } from '../../benchmark/case.js'
import type { Config } from '../../config/config.js'
import type { FileChange } from '../../edit/apply.js'
import type { AutotestError } from '../../errors.js'
import type { HistoryGap } from '../../git/history-gap.js'
import { reserveAsks } from '../../llm/reserve-asks.js'
import type { AcceptedRepair, RepairResult } from '../../repair/input.js'
import type { RepairContext } from '../../domains/sql/repair/model/knowledge.js'
import type { Proposer } from '../../repair/proposer.js'
import type { BaselineCase } from '../../run/baseline.js'
import type { Evaluation } from '../../run/evaluate.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { loadSqlParser } from '../../sql/parser.js'
import { loadSqlTranslator } from '../../sql/translator.js'
import type { CaseRecord, RunMode } from '../../store/records.js'
import { createRedactor } from '../../text/secrets.js'
import type { RunComponents } from '../compose.js'
import type { LlmComponents } from '../models/compose-llm.js'
import { selectRepairers } from '../models/llm-requirements.js'
import type { LlmRun } from '../models/llm-run.js'
import { caseSchemas } from './case-schemas.js'
import type { ExecuteRequest } from './execute-request.js'
import { describeDirtyFile, findWriteObstacle } from './write-obstacles.js'

/** Why less of history is known than might be, and what to do about it. */
function describeHistoryGap(gap: HistoryGap): string {
  const unknown = 'what files and cases said before is not known, so that less speaks against a mistaken case'
  switch (gap.kind) {
    case 'shallow':
      return `this clone holds only the end of its history: ${unknown} (git fetch --unshallow)`
    case 'foreign':
      return `git does not read this repository, which belongs to another user: ${unknown} (${gap.remedy})`
    case 'nested':
      return `${gap.path} is a git repository of its own, whose history is not read: what its files said before is not known`
  }
}

/** Of a run that ended before it could repair, or that has nothing to. */
export function emptyRepairResult(snapshot: Snapshot, ended?: AutotestError): RepairResult {
  return { snapshot, accepted: [], findings: new Map(), abortedBy: ended, unverified: [] }
}

/** Repairs the stable failures of the baseline in memory; nothing is written. */
export async function repairBaseline(
  parts: RunComponents,
  snapshot: Snapshot,
  baseline: ReadonlyMap<string, BaselineCase>,
  signal: AbortSignal,
  runId: string,
  request: ExecuteRequest,
  llm: LlmRun | undefined,
): Promise<RepairResult> {
  // In the order of the benchmark: which case was answered first must not decide which cause is repaired first.
  const failing = [...baseline.values()]
    .filter(({ evaluation, flaky }) => evaluation.score.verdict === 'fail' && !flaky)
    .sort((a, b) => a.position - b.position)
  if (request.mode === 'evaluate' || failing.length === 0 || signal.aborted)
    return emptyRepairResult(snapshot)
  const { config } = request.project
  const current = new Map(
    [...baseline].map(([id, found]) => [id, found.flaky ? asFailing(found) : found.evaluation]),
  )
  // A benchmark that is green needs none of it.
  const [
    parser,
    { repairFailures },
    { createDistinguisher },
    { removedLines },
    { historyGap },
    { projectHistory },
  ] = await Promise.all([
    loadSqlParser(),
    import('../../repair/loop.js'),
    import('../../domains/sql/repair/verify/twins/distinguish.js'),
    import('../../git/removed-lines.js'),
    import('../../git/history-gap.js'),
    import('../project/git-history.js'),
  ])
  const formerLines = await removedLines(config.root, config.kb)
  const gap = await historyGap(config.root, config.kb)
  if (gap !== undefined) request.listener({ kind: 'note', text: describeHistoryGap(gap) })
  const dialect = parts.evaluator.agentDialect
  const translates = request.project.benchmark.some((testCase) => parts.dialectOf(testCase) !== dialect)
  const context = {
    parser,
    translator: translates ? await loadSqlTranslator() : undefined,
    dialect,
    expectedDialect: parts.dialectOf,
    kbFolder: config.kb,
    asOf: (testCase: SqlCase) => parts.evaluator.asOf(testCase),
    schemaOf: await caseSchemas(
      failing.map(({ evaluation }) => evaluation.testCase),
      parts.engineOf,
    ),
    formerLines,
  }
  const repairers = selectRepairers(config, request)
  const accepted: string[] = []
  return repairFailures({
    ...context,
    rules: repairers.includes('rules'),
    proposer:
      llm !== undefined && repairers.includes('llm')
        ? await openProposer(llm.parts, config, context, signal, request.env)
        : undefined,
    proposerFirst: repairers[0] === 'llm' && repairers.includes('rules'),
    reserve:
      llm === undefined || config.agent.kind !== 'llm'
        ? undefined
        : (asks) => reserveAsks(asks, { budget: llm.parts.budget, callsPerAsk: 1 }),
    llmCalls: () => llm?.parts.budget.spent().calls ?? 0,
    evaluator: parts.evaluator,
    concurrency: config.limits.concurrency,
    signal,
    benchmark: request.project.benchmark,
    current,
    named: new Set(request.namedCaseIds),
    distinguishes: createDistinguisher({
      engineOf: parts.engineOf,
      dialectOf: parts.dialectOf,
      limits: parts.limits,
    }),
    snapshot,
    failing: failing.map(({ evaluation }) => evaluation),
    writeObstacle: async (change) =>
      (await findWriteObstacle(config.root, change.path)) ?? (await dirtyObstacle(change, request)),
    history: projectHistory(config.root, config.kb, request.project.benchmark, async (testCase, sql) => {
      const engine = await parts.engineOf(testCase)
      if (engine === undefined || parts.dialectOf(testCase) !== engine.dialect) return true
      return (await engine.query(sql, parts.limits)).kind === 'rows'
    }),
    revertedIn: (change) => request.store.revertedIn(config.root, change),
    maxRetries: config.repair.maxRetries,
    minGrade: config.repair.minGrade,
    clock: () => performance.now(),
    onProgress: (asked, total) =>
      request.listener({ kind: 'verifying', title: 'whole benchmark', asked, total }),
    onStart: (count, causes) => request.listener({ kind: 'repair_started', cases: count, causes }),
    onAttempt(attempt, changes) {
      if (attempt.outcome === 'accepted') accepted.push(attempt.id)
      request.store.recordAttempt(runId, attempt, changes)
      request.listener({ kind: 'attempt_finished', attempt })
    },
  }).catch((error: unknown) => {
    // Nothing was written: nothing may say so.
    for (const id of accepted) request.store.updateAttempt(runId, id, { outcome: 'rejected' })
    throw error
  })
}

/** A plan that is only shown may change any file. */
async function dirtyObstacle(
  change: FileChange,
  { mode, allowDirty, project, store }: ExecuteRequest,
): Promise<string | undefined> {
  if (mode !== 'repair' || allowDirty) return undefined
  const words = await describeDirtyFile(project.config.root, change, store)
  return words === undefined ? undefined : `${words} (commit or stash first, or give --allow-dirty)`
}

/** Says of the plans of a dry run which files stand in their way as they are. */
export async function warnDirtyFiles(
  accepted: readonly AcceptedRepair[],
  { mode, project, store, listener }: ExecuteRequest,
): Promise<void> {
  if (mode !== 'dry_run') return
  // Of a file that several repairs change, what the last of them leaves.
  const last = new Map(accepted.flatMap(({ changes }) => changes.map((change) => [change.path, change])))
  for (const change of last.values()) {
    const words = await describeDirtyFile(project.config.root, change, store)
    if (words !== undefined)
      listener({ kind: 'note', text: `${words}: autotest apply wants that committed first` })
  }
}

/** A flaky case is not protected, nor counted as repaired, whatever it answers next. */
function asFailing({ evaluation }: BaselineCase): Evaluation {
  return { ...evaluation, score: { ...evaluation.score, verdict: 'fail' } }
}

async function openProposer(
  { llm, budget, modelOf }: LlmComponents,
  config: Config,
  context: RepairContext,
  signal: AbortSignal,
  env: ExecuteRequest['env'],
): Promise<Proposer> {
  const { definition } = config.llm.roles.repairer
  const [{ createLlmProposer: llmProposer }, model] = await Promise.all([
    import('../../domains/sql/repair/propose/llm/llm-proposer.js'),
    modelOf('repairer', definition),
  ])
  return llmProposer({
    llm,
    model,
    budget,
    agentsFolder: config.agents,
    definition,
    showExpected: config.repair.showExpected,
    callsPerAsk: config.agent.kind === 'llm' ? 1 : 0,
    redact: createRedactor(env),
    context,
    signal,
  })
}

/**
 * Writes the repairs that are kept, in order. Those of an interrupted run, and those behind one that cannot be
 * written, are recorded as rejected: what the database calls accepted is in the working tree.
 */
export async function writeRepairs(
  kept: readonly AcceptedRepair[],
  all: readonly AcceptedRepair[],
  runId: string,
  request: ExecuteRequest,
): Promise<void> {
  if (request.mode !== 'repair' || all.length === 0) return
  let written = 0
  try {
    if (kept.length === 0) return
    await request.beforeWrite()
    const { root, kb, agents } = request.project.config
    const { openJournal } = await import('../../edit/journal.js')
    const journal = await openJournal({
      root,
      allowedRoots: [kb, agents],
      now: request.now,
      pid: process.pid,
    })
    for (const { attempt, changes } of kept) {
      await journal.write(runId, attempt.id, changes)
      written++
    }
  } finally {
    for (const { attempt } of all.slice(written))
      request.store.updateAttempt(runId, attempt.id, { outcome: 'rejected' })
  }
}

/** Rows of the failing cases once repair is over. */
export function settledRows(
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
