import { parseAgentFlag } from '../../config/agent-flag.js'
import type { Repairer } from '../../config/config.js'
import type { ConfigOverrides } from '../../config/overrides.js'
import type { ScanLimit } from '../../config/parse-units.js'
import type { Policy } from '../../enums/verdict-policy.js'

/** Selects the project and the run database. */
export interface StoreRequest {
  /** Absolute path of a folder of the project; paths of the request are relative to it. */
  readonly cwd: string
  /** Configuration file; undefined: found upwards from `cwd`. */
  readonly config?: string | undefined
  /** Run database; undefined: `reports/autotest.db` below the root of the project. */
  readonly db?: string | undefined
}

/** Selects the project and its cases, and overrides its configuration. */
export interface ProjectRequest extends StoreRequest {
  /** Files, folders and globs instead of the configured ones. */
  readonly benchmark?: readonly string[] | undefined
  /** Only cases with any of these tags; all if there is none. */
  readonly tags?: readonly string[] | undefined
  /** Only these cases; each must exist. */
  readonly ids?: readonly string[] | undefined
  /** Only one of several parts of these cases: `2/4`. */
  readonly shard?: string | undefined
  /** Only cases that did not pass in the last run. */
  readonly lastFailed?: boolean | undefined
  /** `duckdb:FILE`, `sqlite:FILE`, `postgres://USER@HOST/DATABASE`, `mysql://…` or `http:URL`. */
  readonly engine?: string | undefined
  /** `template`, `llm`, `http:URL`, `module:FILE` or `command:PROGRAM`. */
  readonly agent?: string | undefined
  /** Folder of the knowledge base. */
  readonly kb?: string | undefined
  /** Interpreter of the Python project. */
  readonly python?: string | undefined
  /** Whether generated code may run with the user's own rights. */
  readonly unsandboxed?: boolean | undefined
  readonly policy?: Policy | undefined
  /** Number of fuzzed copies of the database; 0: none. */
  readonly fuzz?: number | undefined
  readonly seed?: number | undefined
  /** Number of cases asked at once. */
  readonly concurrency?: number | undefined
  readonly maxRetries?: number | undefined
  readonly minGrade?: 'E1' | 'E2' | undefined
  readonly repairers?: readonly Repairer[] | undefined
  readonly maxLlmCalls?: number | undefined
  readonly maxTokens?: number | undefined
  /** Money, by the price table of the configuration. */
  readonly maxCost?: number | undefined
  readonly maxTimeMs?: number | undefined
  readonly maxScan?: ScanLimit | undefined
}

/** Returns the settings that a request overrides. Throws `usage` for an unknown agent. */
export function overridesOf(request: ProjectRequest): ConfigOverrides {
  return {
    benchmarks: request.benchmark,
    kb: request.kb,
    engine: request.engine,
    agent: request.agent === undefined ? undefined : parseAgentFlag(request.agent),
    python: request.python,
    policy: request.policy,
    fuzz: request.fuzz,
    seed: request.seed,
    concurrency: request.concurrency,
    maxRetries: request.maxRetries,
    minGrade: request.minGrade,
    llmCalls: request.maxLlmCalls,
    tokens: request.maxTokens,
    cost: request.maxCost,
    repairers: request.repairers,
    timeMs: request.maxTimeMs,
    scan: request.maxScan,
  }
}
