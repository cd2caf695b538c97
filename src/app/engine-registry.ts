import type { Config } from '../config/config.js'
import type { Engine, QueryLimits } from '../engine/contract/engine.js'
import type { EngineKind, EngineOptions } from '../engine/contract/kind.js'
import { duckdbKind } from '../engine/file/duckdb.js'
import { sqliteKind } from '../engine/file/sqlite.js'
import { httpKind } from '../engine/http/http.js'
import { openEngine } from '../engine/open.js'

/** Every kind of engine; a new one is a file in `engine/` and a line here. */
export const engineKinds: readonly EngineKind[] = [duckdbKind, sqliteKind, httpKind]

/** Engines that are being opened and that nobody has asked for yet: one that is never asked for ends with this process. */
const prewarmedEngines = new WeakMap<Config, Promise<Engine>>()

/** Opens the database where that makes nothing; where it would first be made, its process alone is started. */
export function prewarmEngine(config: Config): void {
  const kind = engineKindOf(config.engine)
  if (config.engine === undefined || kind?.prewarm === undefined) return
  if (config.fixture !== undefined) {
    kind.prewarm()
    return
  }
  const opening = openEngine(config.engine, engineKinds, engineOptions(config, config.engine))
  // Told to whoever asks for it.
  opening.catch(() => undefined)
  prewarmedEngines.set(config, opening)
}

/** Opens an engine by its URL, or gives the one that is being opened already. */
export function openProjectEngine(
  config: Config,
  url: string,
  onFixture: (text: string) => void,
): Promise<Engine> {
  const ahead = url === config.engine ? prewarmedEngines.get(config) : undefined
  prewarmedEngines.delete(config)
  return ahead ?? openEngine(url, engineKinds, engineOptions(config, url, onFixture))
}

/** The settings for opening an engine. */
export function engineOptions(
  config: Config,
  url: string,
  onFixture: (text: string) => void = () => undefined,
): EngineOptions {
  return {
    root: config.root,
    fixture: url === config.engine ? config.fixture : undefined,
    concurrency: config.limits.concurrency,
    memoryBytes: config.limits.memoryBytes,
    dialect: config.dialect,
    // A benchmark file may name an engine of its own, which is not to be given the token.
    token: url === config.engine ? engineTokenOf(config) : undefined,
    onFixture,
  }
}

export function engineTokenOf({ engineTokenEnv }: Config): EngineOptions['token'] {
  const value = process.env[engineTokenEnv]
  return { variable: engineTokenEnv, value: value === '' ? undefined : value }
}

export function engineKindOf(url: string | undefined): EngineKind | undefined {
  return engineKinds.find((kind) => url?.startsWith(`${kind.scheme}:`) === true)
}

/** Limits of one query, as the configuration sets them. */
export function queryLimitsOf({ limits }: Config): QueryLimits {
  const { queryTimeoutMs: timeoutMs, rows, bytes, memoryBytes } = limits
  return { timeoutMs, rows, bytes, memoryBytes }
}
