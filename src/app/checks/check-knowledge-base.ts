import { relative, resolve, sep } from 'node:path'
import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import type { Engine } from '../../engine/contract/engine.js'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import { checkOutCommand } from '../../git/not-checked-out.js'
import { compareByPosition } from '../../lint/finding.js'
import type { LintReport } from '../../lint/lint.js'
import { loadSqlParser } from '../../sql/index.js'
import { withComponents } from '../compose.js'
import { checkKnowledge } from '../project/check-knowledge.js'
import { absentBelow, notCheckedOut } from '../project/checkout.js'
import { loadKnowledge } from '../project/load-knowledge.js'
import { withProjectParseCache } from '../project/parse-cache-lifecycle.js'
import type { ProjectRequest } from '../project/project-request.js'
import { describeUnread, unreadKnowledge } from '../project/unread-files.js'
import { writeCatalogueFile } from './catalogue-file.js'
import type { CheckContext } from './check-context.js'
import { checkEntriesOf, type EntryCheck } from './check-entries-of-project.js'
import { interruptedCheck } from './interrupted-check.js'

export interface KnowledgeBaseRequest extends Pick<ProjectRequest, 'cwd' | 'config' | 'kb' | 'engine'> {
  /** Whether rows are read too, to find strings in queries that are in no row. */
  readonly readsData: boolean
  /** Files and folders to check, as typed; absent: the knowledge that the configuration names. */
  readonly files?: readonly string[] | undefined
  /** A file with tables and columns, in place of a database. */
  readonly catalogue?: string | undefined
  /** Where to write the database's tables and columns. */
  readonly saveCatalogue?: string | undefined
  /** Whether queries run on a warehouse, too; else they are only bound there. */
  readonly isRunRemotely?: boolean | undefined
  readonly dialect?: string | undefined
}

export interface KnowledgeBaseCheck {
  readonly report: LintReport
  /** URL of the database that explained the queries, or `no engine`. */
  readonly engine: string
  /** What sources in other formats and the fences of notes were found to be; absent: there are none. */
  readonly entries?: EntryCheck | undefined
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
  request: KnowledgeBaseRequest,
  { listener, signal, now }: CheckContext,
): Promise<KnowledgeBaseCheck> {
  const { cwd, config: file, kb, engine, readsData, dialect } = request
  const overrides = { kb, engine, dialect: dialect as Dialect | undefined }
  const loaded = await loadConfig({ cwd, file, overrides })
  const configured = withFiles(loaded, request)
  // No agent is asked, so none is started.
  const config = {
    ...configured,
    agent: { kind: 'template' } as const,
    ...(request.catalogue === undefined ? {} : { engine: undefined }),
  }
  const { snapshot, problems } = await loadKnowledge(config, [config.kb])
  const absent = absentBelow(await notCheckedOut(configured), config.root, [config.kb])
  const isNative = [...snapshot.files.keys()].some((path) => path.startsWith(`${config.kb}/`))
  if (problems.length === 0 && (isNative || config.sources.length === 0))
    await checkKnowledge(snapshot, config, 'Set `kb` in autotest.config.yaml, or give --kb, to its folder.')
  const notRead = await unreadKnowledge(config, snapshot)
  const note = (text: string): void => listener({ kind: 'note', text })
  if (config.engine === undefined && request.catalogue === undefined)
    note('no engine is configured: queries are parsed, but not checked with EXPLAIN')
  const options = { config, today: now().toISOString().slice(0, 10), onProgress: note }
  return withProjectParseCache(config.root, () =>
    withComponents(options, signal, async ({ engine: opened, evaluator, limits }) => {
      const { lintKnowledge } = await import('../../lint/lint.js')
      const lint = await lintKnowledge(snapshot, config.kb, {
        parser: await loadSqlParser(),
        dialect: evaluator.agentDialect,
        engine: opened,
        limits,
        readsData,
        unread: problems,
        notRead: notRead && describeUnread(notRead),
        absent: absent.map((each) => ({ ...each, command: checkOutCommand([each]) })),
      })
      if (request.saveCatalogue !== undefined)
        await saveCatalogue(resolve(cwd, request.saveCatalogue), opened)
      const entries = await checkEntriesOf({
        config,
        snapshot,
        parser: await loadSqlParser(),
        dialect: evaluator.agentDialect,
        engine: opened,
        limits,
        catalogue: request.catalogue === undefined ? undefined : resolve(cwd, request.catalogue),
        isRunRemotely: request.isRunRemotely === true,
        signal,
      })
      // A project without the native format has no such folder to be empty.
      const own = isNative || config.sources.length === 0 ? lint.findings : []
      const findings = [...own, ...(entries?.findings ?? [])].sort(compareByPosition)
      const url = request.catalogue ?? opened?.url ?? 'no engine'
      return { report: { ...lint, findings }, engine: url, entries }
    }),
  )
}

/** Returns the configuration with the named files as its only knowledge. Throws `usage` for one outside the project. */
function withFiles(config: Config, { cwd, files }: KnowledgeBaseRequest): Config {
  if (files === undefined || files.length === 0) return config
  const sources = files.map((file) => {
    const path = relative(config.root, resolve(cwd, file)).split(sep).join('/')
    if (path.startsWith('..'))
      throw new AutotestError('usage', `${file} is outside the project ${config.root}`, {
        hint: 'Name files inside it, or go to the project that has it.',
      })
    const named = config.sources.find((each) => path === each.path || path.startsWith(`${each.path}/`))
    return { ...named, path: path === '' ? '.' : path, format: named?.format ?? 'auto' }
  })
  return { ...config, kb: 'kb', sources, benchmarks: [] }
}

async function saveCatalogue(path: string, engine: Engine | undefined): Promise<void> {
  if (engine === undefined)
    throw new AutotestError('usage', '--save-catalogue needs a database', {
      hint: 'Give --engine, or set `engine` in autotest.config.yaml.',
    })
  await writeCatalogueFile(path, await engine.catalogue())
}
