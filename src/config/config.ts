import type { Dialect } from '../enums/dialect.js'
import type { Role } from '../enums/role.js'
import type { RowPrivacy } from '../enums/row-privacy.js'
import type { Policy } from '../enums/verdict-policy.js'
import type { KnowledgeSource } from '../snapshot/knowledge-source.js'
import { type AnswerMode, answerModes, type ModelProviderName } from './model-providers.js'
import type { ScanLimit } from './parse-units.js'

export type AgentConfig =
  | { readonly kind: 'template' }
  /** autotest's own agent for knowledge in other formats. */
  | { readonly kind: 'knowledge' }
  /** A JavaScript file whose default export answers `(request) => answer`; path relative to the root. */
  | { readonly kind: 'module'; readonly path: string; readonly deterministic: boolean }
  /** A program: one JSON request on standard input, one JSON answer on standard output. */
  | {
      readonly kind: 'command'
      /** Program and arguments; run in the project root without a shell. */
      readonly run: readonly string[]
      readonly deterministic: boolean
      /** Names of environment variables it receives besides PATH, HOME, LANG and the like. */
      readonly env: readonly string[]
    }
  /** A service that receives the same JSON by POST. */
  | {
      readonly kind: 'http'
      readonly url: string
      readonly deterministic: boolean
      /** Environment variable whose value is sent as the bearer token. */
      readonly tokenEnv: string | undefined
    }
  /** A language model that receives the results of a search in the knowledge base. */
  | {
      readonly kind: 'llm'
      /** Its definition, relative to the agents folder. */
      readonly definition: string
      /** Number of entries that a question is answered from. */
      readonly entries: number
      /** Whether it receives the database's error for its SQL, once. */
      readonly errorTurn: boolean
      readonly deterministic: boolean
    }
  /** An agent with tools that writes unit tests. */
  | {
      readonly kind: 'subagent'
      /** Its definition, relative to the agents folder. */
      readonly definition: string
      /** `rules`, or a model; undefined: that of the definition. */
      readonly model: string | undefined
    }

export const repairers = ['rules', 'llm'] as const
export type Repairer = (typeof repairers)[number]

/** Where models are reached, and what each request to it carries. */
export interface Endpoint {
  /** The key in the file: `llm`, or `llm.roles.repairer` for a role with its own endpoint. */
  readonly settings: string
  readonly baseUrl: string
  /** Environment variable of its API key; undefined: none is sent. */
  readonly keyEnv: string | undefined
  /** By name; `env` is the environment variable that contains a value. */
  readonly headers: Readonly<Record<string, string | { readonly env: string }>>
  readonly query: Readonly<Record<string, string>>
  /** Its name in `modelProviders`; undefined: the address decides. */
  readonly provider: ModelProviderName | undefined
  /** How the form of an answer is enforced; `auto`: as the endpoint supports it. */
  readonly structured: AnswerMode | 'auto'
  /** Whether answers are streamed; `auto`: on servers of one's own, and for models that were seen to loop. */
  readonly stream: StreamSetting
}

export const structuredSettings = ['auto', ...answerModes] as const
export const streamSettings = ['auto', 'on', 'off'] as const
export type StreamSetting = (typeof streamSettings)[number]

export interface RoleConfig {
  /** `gpt-5-mini`, `openai:gpt-5-mini` or `scripted:FILE`; undefined: as in the role's definition. */
  readonly model: string | undefined
  /** The role's definition, relative to the agents folder. */
  readonly definition: string
  readonly temperature: number | undefined
  readonly seed: number | undefined
  readonly timeoutMs: number
  /** Maximal number of tokens of one answer. */
  readonly maxTokens: number
  readonly endpoint: Endpoint
  /** Fields of each request besides those of the protocol that autotest sets. */
  readonly extraBody: Readonly<Record<string, unknown>> | undefined
}

/** Definition of the model that repairs the tools of a `subagent`. */
export const toolRepairerDefinition = 'test/tool_repairer.yaml'

/** Begins the `model` of a `subagent` that says again what it said in an earlier run: `trace:RUN`. */
const tracePrefix = 'trace:'

/** Returns the run whose turns an agent with tools repeats; undefined for a model and for the rules. */
export function repeatedRun(model: string | undefined): string | undefined {
  return model?.startsWith(tracePrefix) === true ? model.slice(tracePrefix.length) : undefined
}

/** Defaults of a `subagent`. */
export const subagentDefaults = { definition: 'test/test_subagent.yaml' } as const

/** Defaults of an `llm` agent. */
export const llmAgentDefaults = {
  definition: 'sql.yaml',
  entries: 6,
  errorTurn: true,
  deterministic: false,
} as const

/**
 * The complete settings of a run, with every default filled in. Durations in milliseconds, sizes in bytes.
 */
export interface Config {
  /** Absolute path of the project root: the folder of the configuration file, else the working folder. */
  readonly root: string
  /** Absolute path of the configuration file, if there is one. */
  readonly file: string | undefined
  /** Paths and globs relative to the root. */
  readonly benchmarks: readonly string[]
  /** Folders relative to the root, POSIX. */
  readonly kb: string
  /** Knowledge in other formats; empty where `kb` is one folder. */
  readonly sources: readonly KnowledgeSource[]
  readonly agents: string
  /** `duckdb:data/shop.duckdb`; undefined if none is configured. */
  readonly engine: string | undefined
  /** Where `engine` is named: `--engine`, or `file:line`. */
  readonly engineSource: string | undefined
  /** What the engine reads beside the environment: passwords of the profile that names it. */
  readonly engineEnv: Readonly<Record<string, string>>
  /** Environment variable with the token of an `http:` engine. */
  readonly engineTokenEnv: string
  /** Volatile functions of a server that queries may call, with or without a schema. */
  readonly allowFunctions: readonly string[]
  /** SQL script that builds the engine's database if it does not exist; relative to the root. */
  readonly fixture: string | undefined
  /** Dialect of the agent's SQL; undefined: the engine's. */
  readonly dialect: Dialect | undefined
  readonly agent: AgentConfig
  /** ISO date; undefined: today. */
  readonly asOf: string | undefined
  readonly tests: {
    /** Folder of the Python project, relative to the root, POSIX; `.` for the root. */
    readonly project: string
    /** Program that is its Python; undefined: searched for. */
    readonly python: string | undefined
    /** Folder for new test files, relative to the Python project; undefined: its usual one. */
    readonly folder: string | undefined
    /** Seconds of a search for inputs. */
    readonly seconds: number
    readonly minMutationScore: number
  }
  readonly scoring: {
    readonly policy: Policy
    readonly tolerance: number
    /** Number of fuzzed copies on which queries of different structure are compared; 0: none. */
    readonly fuzz: number
    /** An engine whose database is copied if the case's own cannot be: `duckdb:fixture.duckdb`. */
    readonly fuzzSource: string | undefined
    /** The same seed makes the same copies. */
    readonly seed: number
    /** What is kept and shown of rows that differ. */
    readonly shownRows: RowPrivacy
  }
  readonly limits: {
    readonly concurrency: number
    readonly queryTimeoutMs: number
    readonly rows: number
    readonly bytes: number
    readonly memoryBytes: number
    readonly agentTimeoutMs: number
  }
  readonly repair: {
    readonly maxRetries: number
    readonly minGrade: 'E1' | 'E2'
    /** In the order tried; undefined: rules, and a model if one can be reached. */
    readonly repairers: readonly Repairer[] | undefined
    /** Whether a repairing model sees the expected queries. */
    readonly showExpected: boolean
  }
  readonly budget: {
    readonly timeMs: number | undefined
    readonly scan: ScanLimit | undefined
    readonly calls: number | undefined
    readonly tokens: number | undefined
    /** In the currency of `llm.prices`. */
    readonly cost: number | undefined
    readonly shares: Readonly<Partial<Record<Role, number>>>
  }
  readonly llm: {
    /** Whether the file has any setting for models. */
    readonly configured: boolean
    /** Roles that the file names. */
    readonly named: readonly Role[]
    readonly roles: Readonly<Record<Role, RoleConfig>>
    /** By model, per million tokens. */
    readonly prices: Readonly<Record<string, { readonly in: number; readonly out: number }>>
  }
}
