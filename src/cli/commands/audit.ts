import { existsSync } from 'node:fs'
import { composeComponents, type RunComponents } from '../../app/compose.js'
import type { ExitCode } from '../../app/exit-code.js'
import { knowledgeProblems } from '../../app/project/knowledge-problems.js'
import { withProjectParseCache } from '../../app/project/parse-cache-lifecycle.js'
import { loadProject, type Project } from '../../app/project/project.js'
import type { CaseReads } from '../../audit/entry-coverage.js'
import type { AuditReport } from '../../audit/finding.js'
import { AutotestError } from '../../errors.js'
import { parseKnowledgeBase } from '../../kb/parse.js'
import { type AuditHeader, auditJson } from '../../report/audit-json.js'
import { auditLines } from '../../report/console/audit.js'
import type { Screen } from '../../report/console/screen.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { loadSqlParser } from '../../sql/parser.js'
import { openStore } from '../../store/store.js'
import { type CheckDescription, checkFiles, interruptedCheck, printCheck } from '../check-output.js'
import type { CommandContext } from '../command-context.js'
import type { AuditFlags } from '../flags.js'
import { projectRequestFrom } from '../request-from-flags.js'

const auditCheck: CheckDescription = { name: 'an audit', example: 'audit.json' }

/** How good the benchmark itself is; writes nothing but the files that --output names. */
export async function auditCommand(flags: AuditFlags, context: CommandContext): Promise<ExitCode> {
  if (flags.trials !== undefined && flags['null-edit'] !== true)
    throw new AutotestError('usage', '--trials counts the questions of --null-edit', {
      hint: 'Give --null-edit too, or leave it out.',
    })
  const project = await loadProject(projectRequestFrom(flags, context.cwd))
  const files = await checkFiles(flags.output, auditCheck, context.cwd)
  if (flags['null-edit'] === true) {
    const { runNullEdit: nullEditOfProject } = await import('../../app/audit/null-edit.js')
    return nullEditOfProject(
      project,
      { trials: flags.trials ?? 3, check: auditCheck, files, reporter: flags.reporter },
      context,
    )
  }
  const started = performance.now()
  const { report, head } = await withProjectParseCache(project.config.root, () =>
    auditProject(project, context),
  )
  const timed = { ...head, ms: performance.now() - started }
  const output = {
    lines: (screen: Screen) => auditLines(report, timed, { ...screen, verbose: flags.verbose === true }),
    json: auditJson(report, timed),
  }
  await printCheck(output, { reporter: flags.reporter, files }, context)
  return report.findings.length === 0 ? 0 : 1
}

type UntimedHead = Omit<AuditHeader, 'ms'>

async function auditProject(
  project: Project,
  context: CommandContext,
): Promise<{ readonly report: AuditReport; readonly head: UntimedHead }> {
  const { config } = project
  const { terminal, signal, now } = context
  const { snapshot, problems } = await loadSnapshot(config.root, [config.kb, config.agents])
  for (const text of knowledgeProblems(snapshot, config.kb, problems)) terminal.err(`note  ${text}`)
  const reads = await entriesReadBy(project)
  if (reads === undefined)
    terminal.err(
      `note  what agent ${config.agent.kind} reads is not known before its first run: autotest --no-repair`,
    )
  const today = now().toISOString().slice(0, 10)
  // No agent is asked, so that none is started.
  const asked = { ...config, agent: { kind: 'template' } as const }
  const compose = () =>
    composeComponents({ config: asked, today, onProgress: (text) => terminal.err(`note  ${text}`) })
  const parts: RunComponents[] = []
  const close = async (): Promise<void> => void (await Promise.allSettled(parts.map((part) => part.close())))
  const closeOnAbort = (): void => void close()
  signal.addEventListener('abort', closeOnAbort)
  try {
    const first = await compose()
    parts.push(first)
    const other = await compose()
    parts.push(other)
    const { audit } = await import('../../audit/audit.js')
    const report = await audit({
      benchmark: project.benchmark,
      selected: project.selected,
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
      onProgress: ({ done, total, mutants }) =>
        terminal.status(` ${done}/${total} cases · ${mutants} wrong turns tried`),
    })
    const { engine } = first
    return {
      report,
      head: { engine: engine?.url ?? 'none', knowledge: snapshot.hash, copies: config.scoring.fuzz },
    }
  } catch (error) {
    // What fails because the databases were closed was interrupted.
    throw signal.aborted ? interruptedCheck(auditCheck, error) : error
  } finally {
    terminal.status('')
    signal.removeEventListener('abort', closeOnAbort)
    await close()
  }
}

/** The agent of the house reads what the words mean; what another one reads, its last run tells. */
async function entriesReadBy({
  config,
  database,
  benchmark,
}: Project): Promise<'words' | Map<string, CaseReads> | undefined> {
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
