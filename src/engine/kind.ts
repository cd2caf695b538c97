import type { Dialect } from '../dialect.js'
import type { Engine } from './engine.js'

export interface EngineOptions {
  /** Absolute project root that relative paths refer to. */
  readonly root: string
  /** SQL script, relative to the root, that builds the database where it is absent or was built from another script. */
  readonly fixture?: string | undefined
  /** Most queries that run at once; there are never more processes than cores. */
  readonly concurrency: number
  /** Resident memory that one engine process may reach, in bytes; the engine's own limit is set below it. */
  readonly memoryBytes: number
  /** Told, in one line, when a database is built from its script. */
  readonly onFixture?: ((text: string) => void) | undefined
}

/** A kind of engine, chosen by the scheme of its URL. */
export interface EngineKind {
  /** `duckdb` in `duckdb:data/shop.duckdb`. */
  readonly scheme: string
  readonly dialect: Dialect
  /**
   * Opens what the URL names after its scheme and proves that it answers.
   * Throws `engine_unavailable` where the database is absent, corrupt, locked or cannot be built.
   */
  open(location: string, options: EngineOptions): Promise<Engine>
}
