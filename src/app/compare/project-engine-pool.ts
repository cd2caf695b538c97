import { sampleScriptOf } from '../../compare/copies/sampled/sample-urls.js'
import type { Config } from '../../config/config.js'
import type { Dialect } from '../../enums/dialect.js'
import { createEnginePool, type EnginePool } from '../engine-pool.js'
import { engineKinds, engineTokenOf } from '../engine-registry.js'

export interface ProjectEnginePoolOptions {
  readonly config: Config
  /** URL and fixture of the project's own engine, even if another engine is used instead. */
  readonly configured: Pick<Config, 'engine' | 'fixture'>
  /** Requested dialect, for engines that have none of their own. */
  readonly dialect: Dialect | undefined
  readonly onNote: (text: string) => void
}

/**
 * Creates the pool of the project's engines; the configured one is built from its script if it does not
 * exist.
 */
export function createProjectEnginePool({
  config,
  configured,
  dialect,
  onNote,
}: ProjectEnginePoolOptions): EnginePool {
  return createEnginePool(engineKinds, (url) => ({
    root: config.root,
    fixture: sampleScriptOf(url) ?? (url === configured.engine ? configured.fixture : undefined),
    concurrency: config.limits.concurrency,
    memoryBytes: config.limits.memoryBytes,
    dialect: url === configured.engine ? (config.dialect ?? dialect) : (dialect ?? config.dialect),
    // A line may specify another engine, which must not receive the token.
    token: url === config.engine || url === configured.engine ? engineTokenOf(config) : undefined,
    onNote: sampleScriptOf(url) === undefined ? onNote : undefined,
  }))
}
