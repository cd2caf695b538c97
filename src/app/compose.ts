import type { Agent } from '../agent/agent.js'
import { type LlmAgentHost, type OpenAgentOptions, openAgent, prewarmAgent } from '../agent/open-agent.js'
import type { SqlCase } from '../benchmark/case.js'
import type { CopyComparer } from '../compare/copies/compare-on-copies.js'
import { createLazyCopyComparer } from '../compare/copies/lazy-copy-comparer.js'
import { sampleScriptOf } from '../compare/copies/sampled/sample-urls.js'
import type { Judge } from '../compare/judge/judge.js'
import { createExpectedResultsCache } from '../compare/outcomes/expected-results-cache.js'
import type { AgentConfig, Config } from '../config/config.js'
import type { StoredValues } from '../contracts/stored-values.js'
import { createSqlEvaluator, type MissingKnowledge, type SqlEvaluator } from '../domains/sql/evaluator.js'
import type { Engine, QueryLimits } from '../engine/contract/engine.js'
import { sqliteKind } from '../engine/file/sqlite.js'
import { createEngineMeter, type EngineUse } from '../engine/metered-engine.js'
import type { Dialect } from '../enums/dialect.js'
import { parseKnowledgeBase } from '../kb/parse.js'
import { findOwnExample } from '../kb/question-examples.js'
import { loadSqlParser, warmSqlParser } from '../sql/index.js'
import { createRedactor } from '../text/secrets.js'
import { createEnginePool } from './engine-pool.js'
import { engineKindOf, openProjectEngine, queryLimitsOf } from './engine-registry.js'
import type { LlmComponents } from './models/compose-llm.js'
import { usesJudge } from './models/llm-requirements.js'
import { createAgentDatabases } from './project/agent-database.js'
import { engineError } from './project/checkout.js'
import { knowledgeFolder } from './project/knowledge-folder.js'
import { createOwnEntries } from './project/own-entries.js'
import { withReadCheck } from './project/read-check.js'
import { createStoredValuesOf } from './project/stored-values-of.js'
import { withLimit, withScoringWarmup } from './scheduled-agent.js'
import { withClosing } from './with-closing.js'

/**
 * Starts what takes longest while the rest of the project loads: the agent's thread, the parser. Resolves
 * when everything outside this thread has started: reading a large benchmark would delay that.
 */
export async function prewarmProject(config: Config): Promise<void> {
  await prewarmAgent(config.agent, agentOptions(config))
  if (!answersOffThread(config.agent)) void warmSqlParser()
}

/** Reports whether this thread is idle while the agent answers. */
function answersOffThread({ kind }: AgentConfig): boolean {
  return kind !== 'template' && kind !== 'knowledge'
}

/** The parts of a run that own processes and files, created from the configuration. */
export interface RunComponents {
  readonly agent: Agent
  /** The configured engine, opened. */
  readonly engine: Engine | undefined
  readonly evaluator: SqlEvaluator
  readonly copies: CopyComparer
  readonly limits: QueryLimits
  /** Returns the engine of a case, opened on first use. */
  engineOf(testCase: SqlCase): Promise<Engine | undefined>
  /** Returns what is known of the data of an engine; undefined: the configured one. */
  storedValues(url: string | undefined): Promise<StoredValues | undefined>
  /** Returns the dialect of a case's expected query. */
  dialectOf(testCase: SqlCase): Dialect
  /** What engines were asked so far. */
  engineUses(): readonly EngineUse[]
  close(): Promise<void>
}

export interface ComposeOptions {
  readonly config: Config
  /** ISO date for cases and configurations that specify none. */
  readonly today: string
  readonly onProgress: (text: string) => void
  /** Absent: no part of the run uses a model. */
  readonly llm?: LlmComponents | undefined
  /** Knowledge that is not on disk. */
  readonly missing?: MissingKnowledge | undefined
  /** Cases of the benchmark, with whose queries a judge is tested. */
  readonly benchmark?: readonly SqlCase[] | undefined
}

/** Does work with the parts, which are closed afterwards, and immediately if the signal aborts. */
export async function withComponents<Result>(
  options: ComposeOptions,
  signal: AbortSignal,
  work: (parts: RunComponents) => Promise<Result>,
): Promise<Result> {
  const { result, closed } = await withClosing(() => composeComponents(options), signal, work)
  await closed
  return result
}

export async function composeComponents({
  config,
  today,
  onProgress,
  llm,
  missing,
  benchmark = [],
}: ComposeOptions): Promise<RunComponents> {
  const meter = createEngineMeter(config.budget.scan)
  const engines = new Map<string, Promise<Engine>>()
  const open = (url: string): Promise<Engine> => {
    const known = engines.get(url)
    if (known !== undefined) return known
    const opening = openProjectEngine(config, url, onProgress)
      .catch(async (error: unknown) => {
        throw await engineError(error, config)
      })
      .then(meter.measure)
    engines.set(url, opening)
    return opening
  }
  const engineOf = async (testCase: SqlCase): Promise<Engine | undefined> => {
    const url = testCase.engine ?? config.engine
    return url === undefined ? undefined : open(url)
  }
  const closeEngines = async (): Promise<void> => {
    const opened = await Promise.allSettled(engines.values())
    await Promise.all(
      opened.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)),
    )
  }

  const storedValues = createStoredValuesOf(config, open)

  const shownDatabase = createAgentDatabases(open, config.dialect, queryLimitsOf(config))
  const llmAgentHost = async (
    definition: string,
    parts: LlmComponents | undefined,
  ): Promise<LlmAgentHost> => {
    if (parts === undefined) throw new Error('an agent that is a model was opened without models')
    // Problems of the definition are reported before the run starts.
    const { sqlExample } = await import('../agent/llm-agent.js')
    parts.definitionOf(definition, sqlExample)
    return {
      agentsFolder: config.agents,
      llm: parts.llm,
      model: await parts.modelOf('sql', definition),
      async database({ engine: url = config.engine }) {
        return url === undefined ? undefined : shownDatabase(url)
      },
      onNote: onProgress,
    }
  }

  const sampleEngines = createEnginePool([sqliteKind], (url) => ({
    root: config.root,
    fixture: sampleScriptOf(url),
    concurrency: 1,
    memoryBytes: config.limits.memoryBytes,
  }))
  const closers: (() => Promise<void>)[] = [closeEngines, () => sampleEngines.close()]
  // An agent that could not be opened has nothing to close; its error is thrown instead.
  const closeAll = async (): Promise<void> => void (await Promise.allSettled(closers.map((close) => close())))

  try {
    const opening = openAgent(config.agent, {
      ...agentOptions(config),
      env: process.env,
      storedValues,
      llm: (definition) => llmAgentHost(definition, llm),
    }).then((agent) => withReadCheck(agent, config.kb, onProgress))
    closers.push(async () => (await opening).close())
    const [engine, agent] = await Promise.all([
      config.engine === undefined ? undefined : open(config.engine),
      opening,
    ])
    const agentDialect = config.dialect ?? engine?.dialect ?? 'ansi'
    const limits = queryLimitsOf(config)
    const copies = createLazyCopyComparer({
      count: config.scoring.fuzz,
      seed: config.scoring.seed,
      source: async () => {
        const url = config.scoring.fuzzSource
        return url === undefined ? undefined : open(url)
      },
      samples: {
        root: config.root,
        memoryBytes: config.limits.memoryBytes,
        useEngine: sampleEngines.use,
      },
      loadParser: loadSqlParser,
    })
    const evaluator = createSqlEvaluator({
      agent: withLimit(
        answersOffThread(config.agent) ? withScoringWarmup(agent, config.limits.concurrency) : agent,
        // A module's thread enforces the limit itself, and receives the next calls in advance.
        (config.agent.kind === 'module' ? 2 : 1) * config.limits.concurrency,
      ),
      agentDialect,
      agentDialectOf: (testCase) => config.dialect ?? dialectOfUrl(testCase.engine) ?? agentDialect,
      engineOf,
      limits,
      defaults: config.scoring,
      asOf: config.asOf ?? today,
      loadParser: loadSqlParser,
      expectedResults: createExpectedResultsCache(),
      missing,
      isOffline: !answersOffThread(config.agent),
      copies,
      ownEntriesOf: config.sources.length === 0 ? undefined : createOwnEntries(agentDialect),
      ownExampleOf: (question, read, snapshot) =>
        findOwnExample(question, read, snapshot, parseKnowledgeBase(snapshot, config.kb), config.kb),
      judge:
        llm === undefined || !usesJudge(config)
          ? undefined
          : await openJudge(llm, config, benchmark, onProgress),
      clock: () => performance.now(),
    })
    return {
      agent,
      engine,
      evaluator,
      copies,
      limits,
      engineOf,
      storedValues,
      dialectOf: (testCase) =>
        testCase.dialect ?? dialectOfUrl(testCase.engine) ?? engine?.dialect ?? agentDialect,
      engineUses: meter.uses,
      async close() {
        await closeAll()
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function openJudge(
  parts: LlmComponents,
  config: Config,
  cases: readonly SqlCase[],
  onNote: (text: string) => void,
): Promise<Judge> {
  const { judgeExample, createLlmJudge } = await import('../compare/judge/llm-judge.js')
  const { createJudgeCalibration } = await import('../compare/judge/judge-calibration.js')
  const { definition } = config.llm.roles.judge
  const options = {
    llm: parts.llm,
    model: await parts.modelOf('judge', definition),
    definition: parts.definitionOf(definition, judgeExample),
    loadParser: loadSqlParser,
  }
  const limits = queryLimitsOf(config)
  const test = createJudgeCalibration({ judge: createLlmJudge(options), cases, limits, onNote })
  return createLlmJudge({ ...options, judgements: parts.judgements, test })
}

function agentOptions(config: Config): Omit<OpenAgentOptions, 'env' | 'llm' | 'storedValues'> {
  const { root, limits } = config
  return {
    root,
    kbFolder: knowledgeFolder(config),
    timeoutMs: limits.agentTimeoutMs,
    concurrency: limits.concurrency,
    redact: createRedactor(process.env),
  }
}

/** Returns the dialect that an engine URL implies, without opening it. */
function dialectOfUrl(url: string | undefined): Dialect | undefined {
  return engineKindOf(url)?.dialect
}
