import type { Config } from '../../config/config.js'
import type { Dialect } from '../../enums/dialect.js'
import { engineKinds, engineTokenOf } from '../engine-registry.js'
import { createEnginePool, type EnginePool } from './engine-pool.js'

export interface ProjectEnginePoolOptions {
  readonly config: Config
  /** URL and fixture of the engine that the project itself configures, whatever engine is named instead. */
  readonly configured: Pick<Config, 'engine' | 'fixture'>
  /** Dialect asked for, of engines that have none of their own. */
  readonly dialect: Dialect | undefined
  readonly onNote: (text: string) => void
}

/** Engines of the project; the configured one is built from its script where it is absent. */
export function createProjectEnginePool({
  config,
  configured,
  dialect,
  onNote,
}: ProjectEnginePoolOptions): EnginePool {
  return createEnginePool(engineKinds, (url) => ({
    root: config.root,
    fixture: url === configured.engine ? configured.fixture : undefined,
    concurrency: config.limits.concurrency,
    memoryBytes: config.limits.memoryBytes,
    dialect: url === configured.engine ? (config.dialect ?? dialect) : (dialect ?? config.dialect),
    // A line may name an engine of its own, which is not to be given the token.
    token: url === config.engine || url === configured.engine ? engineTokenOf(config) : undefined,
    onFixture: onNote,
  }))
}
