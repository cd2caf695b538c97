import { existsSync } from 'node:fs'
import type { CaseReads } from '../../audit/entry-coverage.js'
import type { AuditReport } from '../../audit/finding.js'
import { parseKnowledgeBase } from '../../kb/parse.js'
import type { AuditHeader } from '../../report/audit-json.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { loadSqlParser } from '../../sql/index.js'
import { openStore } from '../../store/store.js'
import { composeComponents, type RunComponents } from '../compose.js'
import { notCheckedOut } from '../project/checkout.js'
import { knowledgeProblems } from '../project/knowledge-problems.js'
import { loadKnowledge } from '../project/load-knowledge.js'
import { withProjectParseCache } from '../project/parse-cache-lifecycle.js'
import type { SqlProject } from '../project/project.js'
import { auditIgnoreFile, leaveOutIgnored, readIgnoredFindings } from './audit-ignore-file.js'
import type { CheckContext } from './check-context.js'
import { interruptedCheck } from './interrupted-check.js'

/** The name of the check in messages. */
export const auditName = 'an audit'

export interface AuditResult {
  readonly report: AuditReport
  readonly header: AuditHeader
}

/** Audits the quality of the benchmark; nothing is written. Throws `interrupted` once the signal aborts. */
export async function auditProject(project: SqlProject, context: CheckContext): Promise<AuditResult> {
  const started = performance.now()
  const { config, selected, benchmark } = project
  const judged = await readIgnoredFindings(config.root)
  const { report, head } = await withProjectParseCache(config.root, () => audited(project, context))
  const isComplete = selected.length === benchmark.length
  const { findings, ignored, stale } = leaveOutIgnored(report.findings, judged, isComplete)
  for (const { subject, kind, mutant } of stale) {
    const what = mutant === undefined ? '' : ` (mutant "${mutant}")`
    const text = `${auditIgnoreFile}: ${kind} of ${subject}${what} is no finding any more: remove the entry`
    context.listener({ kind: 'note', text })
  }
  return {
    report: { ...report, findings },
    header: { ...head, ignored, ms: performance.now() - started },
  }
}

async function audited(
  project: SqlProject,
  context: CheckContext,
): Promise<{ readonly report: AuditReport; readonly head: Omit<AuditHeader, 'ms' | 'ignored'> }> {
  const { config } = project
  const note = (text: string): void => context.listener({ kind: 'note', text })
  const { snapshot, problems } = await loadKnowledge(config)
  for (const text of knowledgeProblems(snapshot, config.kb, problems, await notCheckedOut(config))) note(text)
  const reads = await entriesReadBy(project)
  if (reads === undefined)
    note(
      `which knowledge agent ${config.agent.kind} uses is unknown before its first run: autotest --no-repair`,
    )
  return withTwoCompositions(project, context, async (first, other) => ({
    report: await auditBenchmark(project, snapshot, reads, [first, other], context),
    head: { engine: first.engine?.url ?? 'none', knowledge: snapshot.hash, copies: config.scoring.fuzz },
  }))
}

/** Opens each database in two processes: the results of one are compared with those of the other. */
async function withTwoCompositions<Result>(
  { config }: SqlProject,
  { listener, signal, now }: CheckContext,
  work: (first: RunComponents, other: RunComponents) => Promise<Result>,
): Promise<Result> {
  const options = {
    // No agent is asked, so none is started.
    config: { ...config, agent: { kind: 'template' } as const },
    today: now().toISOString().slice(0, 10),
    onProgress: (text: string) => listener({ kind: 'note', text }),
  }
  const parts: RunComponents[] = []
  const close = async (): Promise<void> => void (await Promise.allSettled(parts.map((part) => part.close())))
  const closeOnAbort = (): void => void close()
  signal.addEventListener('abort', closeOnAbort)
  try {
    const first = await composeComponents(options)
    parts.push(first)
    const other = await composeComponents(options)
    parts.push(other)
    return await work(first, other)
  } catch (error) {
    // A failure after the databases were closed is caused by an interrupt.
    throw signal.aborted ? interruptedCheck(auditName, error) : error
  } finally {
    signal.removeEventListener('abort', closeOnAbort)
    await close()
  }
}

async function auditBenchmark(
  { config, benchmark, selected }: SqlProject,
  snapshot: Snapshot,
  reads: EntriesReadByCase | undefined,
  [first, other]: readonly [RunComponents, RunComponents],
  { listener, signal }: CheckContext,
): Promise<AuditReport> {
  const { audit } = await import('../../audit/audit.js')
  return audit({
    benchmark,
    selected,
    reads,
    context: {
      parser: await loadSqlParser(),
      kb: parseKnowledgeBase(snapshot, config.kb),
      agentDialect: first.evaluator.agentDialect,
      dialectOf: first.dialectOf,
      asOf: (testCase) => first.evaluator.asOf(testCase),
      engineOf: first.engineOf,
      otherEngineOf: other.engineOf,
      copies: first.copies,
      limits: first.limits,
      defaults: config.scoring,
      concurrency: config.limits.concurrency,
      signal,
    },
    onProgress: ({ done, total, mutants }) => listener({ kind: 'case_checked', done, total, mutants }),
  })
}

type EntriesReadByCase = 'words' | Map<string, CaseReads>

/**
 * Returns the entries that each case reads: for the template agent from the words of its question, for other
 * agents from their last run.
 */
async function entriesReadBy({
  config,
  database,
  benchmark,
}: SqlProject): Promise<EntriesReadByCase | undefined> {
  if (config.agent.kind === 'template') return 'words'
  if (!existsSync(database)) return undefined
  const store = await openStore(database, { readonly: true, now: () => new Date() })
  try {
    const run = store.latestRun({})
    const detail = run === undefined ? undefined : store.runDetail(run.id)
    if (detail === undefined) return undefined
    const ids = new Set(benchmark.map(({ id }) => id))
    const known = detail.cases.filter(({ caseId, sample }) => ids.has(caseId) && sample.kind !== 'error')
    return new Map(known.map(({ caseId, sample }) => [caseId, { ids: sample.read }]))
  } finally {
    store.close()
  }
}
