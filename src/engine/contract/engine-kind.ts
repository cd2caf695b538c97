import type { Dialect } from '../../enums/dialect.js'
import type { Engine } from './engine.js'
import type { RoleRights } from './role-rights.js'

export interface EngineOptions {
  /** Absolute project root that relative paths refer to. */
  readonly root: string
  /**
   * SQL script, relative to the root, that builds the database if it does not exist or was built from another
   * script.
   */
  readonly fixture?: string | undefined
  /** Maximal number of concurrent queries; there are never more processes than cores. */
  readonly concurrency: number
  /** Resident memory that one engine process may reach, in bytes; the engine's own limit is set below it. */
  readonly memoryBytes: number
  /** The dialect of an engine whose kind does not determine it. */
  readonly dialect?: Dialect | undefined
  /**
   * For a service that requires authentication: the token and the variable it comes from; no value where that
   * is not set.
   */
  readonly token?: { readonly variable: string; readonly value: string | undefined } | undefined
  /** Variables beside those of the environment, which come before them. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Called with one line of what users should know when it opens: a database is built, a role may write. */
  readonly onNote?: ((text: string) => void) | undefined
  /**
   * Called with what the role of a server could do beyond reading, and the statements that take each right away. Absent:
   * `onNote` is called with one line about them.
   */
  readonly onRights?: ((rights: RoleRights) => void) | undefined
  /** Volatile functions that queries may call, with or without a schema. */
  readonly allowFunctions?: readonly string[] | undefined
}

/** A kind of engine, chosen by the scheme of its URL. */
export interface EngineKind {
  /** `duckdb` in `duckdb:data/shop.duckdb`. */
  readonly scheme: string
  /** Undefined if the configuration has to specify it. */
  readonly dialect: Dialect | undefined
  /** Starts in advance what `open` would start first, while other things load. */
  prewarm?(): void
  /** It is asked which functions of a query may do more than to read. */
  readonly judgesFunctions?: true
  /** To open it may take long, or ask for what only users can mend: it is not opened before it is asked for. */
  readonly isRemote?: true
  /**
   * Opens what the URL names after its scheme and checks that it responds. Throws `engine_unavailable` if the
   * database is missing, corrupt, locked or cannot be built.
   */
  open(location: string, options: EngineOptions): Promise<Engine>
}

/** A kind with one dialect, whatever the configuration. */
export interface FixedEngineKind extends EngineKind {
  readonly dialect: Dialect
}
