import type { Dialect } from '../dialect.js'
import type { Policy } from '../policy.js'

export type AgentConfig =
  | { readonly kind: 'template' }
  /** A JavaScript file whose default export answers `(request) => answer`; path relative to the root. */
  | { readonly kind: 'module'; readonly path: string; readonly deterministic: boolean }
  /** A program: one JSON request on standard input, one JSON answer on standard output. */
  | {
      readonly kind: 'command'
      /** Program and arguments; run in the project root without a shell. */
      readonly run: readonly string[]
      readonly deterministic: boolean
      /** Names of environment variables it is given beside PATH, HOME, LANG and the like. */
      readonly env: readonly string[]
    }

/** Everything a run is told, with every default filled in. Durations in milliseconds, sizes in bytes. */
export interface Config {
  /** Absolute path of the project root: the folder of the configuration file, else the working folder. */
  readonly root: string
  /** Absolute path of the configuration file, where there is one. */
  readonly file: string | undefined
  /** Paths and globs relative to the root. */
  readonly benchmarks: readonly string[]
  /** Folders relative to the root, POSIX. */
  readonly kb: string
  readonly agents: string
  /** `duckdb:data/shop.duckdb`; undefined where none is configured. */
  readonly engine: string | undefined
  /** Environment variable that holds the token of an `http:` engine. */
  readonly engineTokenEnv: string
  /** SQL script that builds the engine's database where it is absent; relative to the root. */
  readonly fixture: string | undefined
  /** Dialect of the agent's SQL; undefined: the engine's. */
  readonly dialect: Dialect | undefined
  readonly agent: AgentConfig
  /** ISO date; undefined: today. */
  readonly asOf: string | undefined
  readonly scoring: {
    readonly policy: Policy
    readonly tolerance: number
    /** Fuzzed copies on which queries of different structure are compared; 0: none. */
    readonly fuzz: number
    /** An engine whose database copies are made of where the case's own gives none: `duckdb:fixture.duckdb`. */
    readonly fuzzSource: string | undefined
    /** The same seed makes the same copies. */
    readonly seed: number
  }
  readonly limits: {
    readonly concurrency: number
    readonly queryTimeoutMs: number
    readonly rows: number
    readonly bytes: number
    readonly memoryBytes: number
    readonly agentTimeoutMs: number
  }
  readonly repair: { readonly maxRetries: number; readonly minGrade: 'E1' | 'E2' }
  readonly budget: { readonly timeMs: number | undefined }
}
