import pLimit from 'p-limit'
import type { Agent } from '../agent/agent.js'
import { openAgent } from '../agent/open.js'
import type { SqlCase } from '../benchmark/case.js'
import { type CopyComparer, createCopyComparer } from '../compare/copies.js'
import { createExpectedResults } from '../compare/expected-results.js'
import type { Config } from '../config/config.js'
import type { Dialect } from '../dialect.js'
import { duckdbKind } from '../engine/duckdb.js'
import type { Engine, QueryLimits } from '../engine/engine.js'
import { httpKind } from '../engine/http.js'
import type { EngineKind, EngineOptions } from '../engine/kind.js'
import { openEngine } from '../engine/open.js'
import { sqliteKind } from '../engine/sqlite.js'
import { createEvaluator, type Evaluator } from '../run/evaluate.js'
import { loadSqlParser } from '../sql/parser.js'

/** Every kind of engine; a new one is a file in `engine/` and a line here. */
export const engineKinds: readonly EngineKind[] = [duckdbKind, sqliteKind, httpKind]

/** Starts what takes longest, while the rest of the project loads: the engine's process and the parser. */
export function startAhead({ engine }: Config): void {
  kindOf(engine)?.startAhead?.()
  void loadSqlParser()
}

/** The parts of a run that hold processes and files, made from the configuration. */
export interface Parts {
  readonly agent: Agent
  /** The configured engine, opened. */
  readonly engine: Engine | undefined
  readonly evaluator: Evaluator
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
}

export async function composeParts({ config, today, onProgress }: ComposeOptions): Promise<Parts> {
  const engines = new Map<string, Promise<Engine>>()
  const open = (url: string): Promise<Engine> => {
    const known = engines.get(url)
    if (known !== undefined) return known
    const opening = openEngine(url, engineKinds, {
      root: config.root,
      fixture: url === config.engine ? config.fixture : undefined,
      concurrency: config.limits.concurrency,
      memoryBytes: config.limits.memoryBytes,
      dialect: config.dialect,
      // A benchmark file may name an engine of its own, which is not to be given the token.
      token: url === config.engine ? tokenOf(config) : undefined,
      onFixture: onProgress,
    })
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

  const closers: (() => Promise<void>)[] = [closeEngines]
  // What could not be opened has nothing to close: its error is the one that is thrown.
  const closeAll = async (): Promise<void> => void (await Promise.allSettled(closers.map((close) => close())))

  try {
    const opening = openAgent(config.agent, {
      root: config.root,
      kbFolder: config.kb,
      timeoutMs: config.limits.agentTimeoutMs,
      concurrency: config.limits.concurrency,
    })
    closers.push(async () => (await opening).close())
    const [engine, agent] = await Promise.all([
      config.engine === undefined ? undefined : open(config.engine),
      opening,
    ])
    const agentDialect = config.dialect ?? engine?.dialect ?? 'ansi'
    const limits: QueryLimits = {
      timeoutMs: config.limits.queryTimeoutMs,
      rows: config.limits.rows,
      bytes: config.limits.bytes,
      memoryBytes: config.limits.memoryBytes,
    }
    const copies = createCopyComparer({
      count: config.scoring.fuzz,
      seed: config.scoring.seed,
      source: async () => {
        const url = config.scoring.fuzzSource
        return url === undefined ? undefined : open(url)
      },
      loadParser: loadSqlParser,
    })
    const evaluator = createEvaluator({
      agent: withLimit(agent, config.limits.concurrency),
      agentDialect,
      engineOf,
      limits,
      defaults: config.scoring,
      asOf: config.asOf ?? today,
      loadParser: loadSqlParser,
      expectedResults: createExpectedResults(),
      copies,
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

function tokenOf({ engineTokenEnv }: Config): EngineOptions['token'] {
  const value = process.env[engineTokenEnv]
  return { variable: engineTokenEnv, value: value === '' ? undefined : value }
}

/** Dialect that an engine URL implies, without opening it. */
function dialectOfUrl(url: string | undefined): Dialect | undefined {
  return kindOf(url)?.dialect
}

function kindOf(url: string | undefined): EngineKind | undefined {
  return engineKinds.find((kind) => url?.startsWith(`${kind.scheme}:`) === true)
}

/** The agent with at most so many questions under way, however many cases are. */
function withLimit(agent: Agent, concurrency: number): Agent {
  const limit = pLimit(concurrency)
  return {
    name: agent.name,
    deterministic: agent.deterministic,
    ask: (question, snapshot, signal) => limit(() => agent.ask(question, snapshot, signal)),
    close: () => agent.close(),
  }
}
