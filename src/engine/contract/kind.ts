import type { Dialect } from '../../enums/dialect.js'
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
  /** The dialect of an engine whose kind does not determine it. */
  readonly dialect?: Dialect | undefined
  /** For a service that requires authentication: the token and the variable it comes from; no value where that is not set. */
  readonly token?: { readonly variable: string; readonly value: string | undefined } | undefined
  /** Told, in one line, when a database is built from its script. */
  readonly onFixture?: ((text: string) => void) | undefined
}

/** A kind of engine, chosen by the scheme of its URL. */
export interface EngineKind {
  /** `duckdb` in `duckdb:data/shop.duckdb`. */
  readonly scheme: string
  /** Undefined where the configuration has to say. */
  readonly dialect: Dialect | undefined
  /** Starts, while other things load, what `open` would start first. */
  prewarm?(): void
  /**
   * Opens what the URL names after its scheme and proves that it answers.
   * Throws `engine_unavailable` where the database is absent, corrupt, locked or cannot be built.
   */
  open(location: string, options: EngineOptions): Promise<Engine>
}

/** A kind that speaks one dialect, whatever the configuration says. */
export interface FixedEngineKind extends EngineKind {
  readonly dialect: Dialect
}
