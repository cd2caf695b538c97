import { loadConfig } from '../../config/load.js'
import { checkOutCommand } from '../../git/not-checked-out.js'
import type { LintReport } from '../../lint/lint.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { loadSqlParser } from '../../sql/index.js'
import { withComponents } from '../compose.js'
import { checkKnowledge } from '../project/check-knowledge.js'
import { absentBelow, notCheckedOut } from '../project/checkout.js'
import { withProjectParseCache } from '../project/parse-cache-lifecycle.js'
import type { ProjectRequest } from '../project/project-request.js'
import { describeUnread, unreadKnowledge } from '../project/unread-files.js'
import type { CheckContext } from './check-context.js'
import { interruptedCheck } from './interrupted-check.js'

export interface KnowledgeBaseRequest extends Pick<ProjectRequest, 'cwd' | 'config' | 'kb' | 'engine'> {
  /** Whether rows are read too, to find strings in queries that are in no row. */
  readonly readsData: boolean
}

export interface KnowledgeBaseCheck {
  readonly report: LintReport
  /** URL of the database that explained the queries, or `no engine`. */
  readonly engine: string
}

/** Checks the knowledge base, without a benchmark and without an agent. */
export async function checkKnowledgeBase(
  request: KnowledgeBaseRequest,
  context: CheckContext,
): Promise<KnowledgeBaseCheck> {
  return checked(request, context).catch((error: unknown) => {
    throw context.signal.aborted ? interruptedCheck('a check', error) : error
  })
}

async function checked(
  { cwd, config: file, kb, engine, readsData }: KnowledgeBaseRequest,
  { listener, signal, now }: CheckContext,
): Promise<KnowledgeBaseCheck> {
  const configured = await loadConfig({ cwd, file, overrides: { kb, engine } })
  // No agent is asked, so none is started.
  const config = { ...configured, agent: { kind: 'template' } as const }
  const { snapshot, problems } = await loadSnapshot(config.root, [config.kb])
  const absent = absentBelow(await notCheckedOut(configured), config.root, [config.kb])
  if (problems.length === 0)
    await checkKnowledge(snapshot, config, 'Set `kb` in autotest.config.yaml, or give --kb, to its folder.')
  const notRead = await unreadKnowledge(config, snapshot)
  const note = (text: string): void => listener({ kind: 'note', text })
  if (config.engine === undefined)
    note('no engine is configured: queries are parsed, but not checked with EXPLAIN')
  const options = { config, today: now().toISOString().slice(0, 10), onProgress: note }
  return withProjectParseCache(config.root, () =>
    withComponents(options, signal, async ({ engine: opened, evaluator, limits }) => {
      const { lintKnowledge } = await import('../../lint/lint.js')
      const report = await lintKnowledge(snapshot, config.kb, {
        parser: await loadSqlParser(),
        dialect: evaluator.agentDialect,
        engine: opened,
        limits,
        readsData,
        unread: problems,
        notRead: notRead && describeUnread(notRead),
        absent: absent.map((each) => ({ ...each, command: checkOutCommand([each]) })),
      })
      return { report, engine: opened?.url ?? 'no engine' }
    }),
  )
}
