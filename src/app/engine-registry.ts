import type { Config } from '../config/config.js'
import type { Engine, QueryLimits } from '../engine/contract/engine.js'
import type { EngineKind, EngineOptions } from '../engine/contract/engine-kind.js'
import { duckdbKind } from '../engine/file/duckdb.js'
import { sqliteKind } from '../engine/file/sqlite.js'
import { httpKind } from '../engine/http/http.js'
import { openEngine, splitEngineUrl } from '../engine/open-engine.js'
import { bigqueryKind, databricksKind, snowflakeKind } from '../engine/server/cloud-services.js'
import { mysqlKind } from '../engine/server/mysql.js'
import { postgresKind } from '../engine/server/postgres.js'
import { prestoKind, trinoKind } from '../engine/server/trino.js'
import { AutotestError } from '../errors.js'

/** Every kind of engine; a new one is a file in `engine/` and an entry here. */
export const engineKinds: readonly EngineKind[] = [
  duckdbKind,
  sqliteKind,
  postgresKind,
  mysqlKind,
  trinoKind,
  prestoKind,
  snowflakeKind,
  bigqueryKind,
  databricksKind,
  httpKind,
]

/**
 * Engines that are being opened and were not requested yet: one that is never requested ends with this
 * process.
 */
const prewarmedEngines = new WeakMap<Config, Promise<Engine>>()

/** Opens the database if that creates nothing and it is on this machine; else only its process is started. */
export function prewarmEngine(config: Config): void {
  const kind = engineKindOf(config.engine)
  if (config.engine === undefined || kind?.prewarm === undefined) return
  if (config.fixture !== undefined || kind.isRemote === true) {
    kind.prewarm()
    return
  }
  const opening = openEngine(config.engine, engineKinds, engineOptions(config, config.engine))
  // The error is reported when the engine is requested.
  opening.catch(() => undefined)
  prewarmedEngines.set(config, opening)
}

/** Opens an engine by its URL, or returns the one that is being opened already. */
export function openProjectEngine(
  config: Config,
  url: string,
  onNote: (text: string) => void,
): Promise<Engine> {
  const ahead = url === config.engine ? prewarmedEngines.get(config) : undefined
  prewarmedEngines.delete(config)
  if (config.allowFunctions.length > 0 && engineKindOf(url)?.judgesFunctions !== true)
    onNote('allow_functions has no effect: it is for engines of PostgreSQL, MySQL and MariaDB')
  const opening = ahead ?? openEngine(url, engineKinds, engineOptions(config, url, onNote))
  return opening.catch((error: unknown) => {
    throw url === config.engine ? withSource(error, config) : error
  })
}

/** Adds where the database is named: one configuration may be read where another was meant. */
function withSource(error: unknown, { engine, engineSource }: Config): unknown {
  if (!(error instanceof AutotestError) || engineSource === undefined) return error
  const hint = `${error.hint ?? ''} (${engine} is from ${engineSource}.)`.trim()
  return new AutotestError(error.code, error.message, { hint, cause: error.cause })
}

/** Returns the settings for opening an engine. */
export function engineOptions(
  config: Config,
  url: string,
  onNote: (text: string) => void = () => undefined,
): EngineOptions {
  return {
    root: config.root,
    fixture: url === config.engine ? config.fixture : undefined,
    concurrency: config.limits.concurrency,
    memoryBytes: config.limits.memoryBytes,
    dialect: config.dialect,
    // A benchmark file may specify another engine, which must not receive the token.
    token: url === config.engine ? engineTokenOf(config) : undefined,
    env: url === config.engine ? config.engineEnv : undefined,
    allowFunctions: config.allowFunctions,
    onNote,
  }
}

export function engineTokenOf({ engineTokenEnv }: Config): EngineOptions['token'] {
  const value = process.env[engineTokenEnv]
  return { variable: engineTokenEnv, value: value === '' ? undefined : value }
}

export function engineKindOf(url: string | undefined): EngineKind | undefined {
  if (url === undefined) return undefined
  const { scheme } = splitEngineUrl(url)
  return engineKinds.find((kind) => kind.scheme === scheme)
}

/** Returns the configured limits of one query. */
export function queryLimitsOf({ limits }: Config): QueryLimits {
  const { queryTimeoutMs: timeoutMs, rows, bytes, memoryBytes } = limits
  return { timeoutMs, rows, bytes, memoryBytes }
}
