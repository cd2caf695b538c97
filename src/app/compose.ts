import pLimit from 'p-limit'
import type { Agent } from '../agent/agent.js'
import { type LlmAgentHost, type OpenAgentOptions, openAgent, prewarmAgent } from '../agent/open.js'
import type { SqlCase } from '../benchmark/case.js'
import type { CopyComparer } from '../compare/copies/fuzzed-copies.js'
import { createLazyCopyComparer } from '../compare/copies/lazy-copy-comparer.js'
import type { Judge } from '../compare/judge/judge.js'
import { createExpectedResultsCache } from '../compare/outcomes/expected-results-cache.js'
import type { AgentConfig, Config } from '../config/config.js'
import { createSqlEvaluator, loadScoring, type SqlEvaluator } from '../domains/sql/evaluator.js'
import type { Engine, QueryLimits } from '../engine/contract/engine.js'
import type { Dialect } from '../enums/dialect.js'
import { loadSqlParser, warmSqlParser } from '../sql/index.js'
import { createRedactor } from '../text/secrets.js'
import { engineKindOf, openProjectEngine, queryLimitsOf } from './engine-registry.js'
import type { LlmComponents } from './models/compose-llm.js'
import { usesJudge } from './models/llm-requirements.js'
import { createAgentDatabases } from './project/agent-database.js'

/**
 * Starts what takes longest, while the rest of the project loads: the agent's thread, the parser. Resolves when what runs
 * elsewhere is started: reading a large benchmark would keep it from that.
 */
export async function prewarmProject(config: Config): Promise<void> {
  await prewarmAgent(config.agent, agentOptions(config))
  if (!answersOffThread(config.agent)) void warmSqlParser()
}

/** Whether this thread has nothing to do while the agent answers. */
function answersOffThread({ kind }: AgentConfig): boolean {
  return kind !== 'template'
}

/** The parts of a run that hold processes and files, made from the configuration. */
export interface RunComponents {
  readonly agent: Agent
  /** The configured engine, opened. */
  readonly engine: Engine | undefined
  readonly evaluator: SqlEvaluator
  readonly copies: CopyComparer
  readonly limits: QueryLimits
  /** The engine of a case, opened on first use. */
  engineOf(testCase: SqlCase): Promise<Engine | undefined>
  /** Dialect that a case's expected query is written in. */
  dialectOf(testCase: SqlCase): Dialect
  close(): Promise<void>
}

export interface ComposeOptions {
  readonly config: Config
  /** ISO date for cases and configurations that name none. */
  readonly today: string
  readonly onProgress: (text: string) => void
  /** Absent: nothing of what is composed speaks to a model. */
  readonly llm?: LlmComponents | undefined
}

/** Does work with the parts, which are closed behind it, and at once where the signal aborts. */
export async function withComponents<Result>(
  options: ComposeOptions,
  signal: AbortSignal,
  work: (parts: RunComponents) => Promise<Result>,
): Promise<Result> {
  const { result, closed } = await withComponentsDeferredClose(options, signal, work)
  await closed
  return result
}

/** As `withParts`, but what the work came to is there while its processes end. */
export async function withComponentsDeferredClose<Result>(
  options: ComposeOptions,
  signal: AbortSignal,
  work: (parts: RunComponents) => Promise<Result>,
): Promise<{ readonly result: Result; readonly closed: Promise<void> }> {
  const parts = await composeComponents(options)
  const close = (): void => void parts.close()
  signal.addEventListener('abort', close)
  try {
    const result = await work(parts)
    return { result, closed: parts.close() }
  } catch (error) {
    await parts.close()
    throw error
  } finally {
    signal.removeEventListener('abort', close)
  }
}

export async function composeComponents({
  config,
  today,
  onProgress,
  llm,
}: ComposeOptions): Promise<RunComponents> {
  const engines = new Map<string, Promise<Engine>>()
  const open = (url: string): Promise<Engine> => {
    const known = engines.get(url)
    if (known !== undefined) return known
    const opening = openProjectEngine(config, url, onProgress)
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

  const shownDatabase = createAgentDatabases(open, config.dialect, queryLimitsOf(config))
  const llmAgentHost = async (
    definition: string,
    parts: LlmComponents | undefined,
  ): Promise<LlmAgentHost> => {
    if (parts === undefined) throw new Error('an agent that is a model was opened without models')
    // Its problems are reported before the run starts.
    const { sqlExample } = await import('../agent/llm.js')
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

  const closers: (() => Promise<void>)[] = [closeEngines]
  // An agent that could not be opened has nothing to close; its error is thrown instead.
  const closeAll = async (): Promise<void> => void (await Promise.allSettled(closers.map((close) => close())))

  try {
    const opening = openAgent(config.agent, {
      ...agentOptions(config),
      env: process.env,
      llm: (definition) => llmAgentHost(definition, llm),
    })
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
      loadParser: loadSqlParser,
    })
    const evaluator = createSqlEvaluator({
      agent: withLimit(
        answersOffThread(config.agent) ? withScoringWarmup(agent, config.limits.concurrency) : agent,
        // A module's thread keeps the limit itself, and is told ahead what it is to answer next.
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
      copies,
      judge: llm === undefined || !usesJudge(config) ? undefined : await openJudge(llm, config),
      clock: () => performance.now(),
    })
    return {
      agent,
      engine,
      evaluator,
      copies,
      limits,
      engineOf,
      dialectOf: (testCase) =>
        testCase.dialect ?? dialectOfUrl(testCase.engine) ?? engine?.dialect ?? agentDialect,
      async close() {
        await closeAll()
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function openJudge(parts: LlmComponents, { llm }: Config): Promise<Judge> {
  const { judgeExample, createLlmJudge } = await import('../compare/judge/llm-judge.js')
  const { definition } = llm.roles.judge
  const model = await parts.modelOf('judge', definition)
  return createLlmJudge({
    llm: parts.llm,
    model,
    definition: parts.definitionOf(definition, judgeExample),
    judgements: parts.judgements,
    loadParser: loadSqlParser,
  })
}

function agentOptions({ root, kb, limits }: Config): Omit<OpenAgentOptions, 'env' | 'llm'> {
  return {
    root,
    kbFolder: kb,
    timeoutMs: limits.agentTimeoutMs,
    concurrency: limits.concurrency,
    redact: createRedactor(process.env),
  }
}

/** Dialect that an engine URL implies, without opening it. */
function dialectOfUrl(url: string | undefined): Dialect | undefined {
  return engineKindOf(url)?.dialect
}

/** So long after the first question, in milliseconds, all that may be asked at once are under way, and sent. */
const warmupDelayMs = 50

/** The agent, behind whose first answers what scores them is loaded and warms up: once `concurrency` of them are asked. */
function withScoringWarmup(agent: Agent, concurrency: number): Agent {
  let asked = 0
  let warm: (() => void) | undefined = () => {
    warm = undefined
    void Promise.all([warmSqlParser(), loadScoring()])
  }
  return {
    ...agent,
    ask(question, snapshot, signal) {
      asked++
      if (asked === 1) setTimeout(() => warm?.(), warmupDelayMs).unref()
      const answer = agent.ask(question, snapshot, signal)
      if (asked === concurrency) setImmediate(() => warm?.())
      return answer
    },
  }
}

/** The agent with at most so many questions under way, however many cases are. */
function withLimit(agent: Agent, concurrency: number): Agent {
  const limit = pLimit(concurrency)
  return {
    ...agent,
    ask: (question, snapshot, signal) => limit(() => agent.ask(question, snapshot, signal)),
  }
}
