import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { configFileNames } from '../enums/config-file-names.js'
import { AutotestError, messageOf } from '../errors.js'
import { readRegularFile } from '../platform/read-regular-file.js'
import { validate } from '../snapshot/validate-schema.js'
import { parseYaml } from '../snapshot/yaml.js'
import { hideVariables } from '../text/secrets.js'
import { type AgentConfig, type Config, repeatedRun, toolRepairerDefinition } from './config.js'
import { readDbtProfile } from './dbt-profile.js'
import { llmConfig } from './llm-config.js'
import { type ConfigOverrides, checkOverrides, rebasePaths } from './overrides.js'
import { folderInside, knowledgeOf, pythonProject } from './project-folders.js'
import { type ConfigFile, configFile } from './schema.js'

export interface LoadConfigOptions {
  /** Absolute path; the configuration is searched for here and in the folders above. */
  readonly cwd: string
  /** A configuration file by name, relative to `cwd`; it must exist. */
  readonly file?: string | undefined
  readonly overrides?: ConfigOverrides | undefined
}

/**
 * Returns the configuration with every default filled in; flags override the file. A benchmark folder that is named and
 * has a configuration of its own is used with that one. The values of environment
 * variables that it names are secret from then on. Throws `config_invalid` with `file:line:column` for the
 * file, `usage` for a flag.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<Config> {
  const found = await findFile(options)
  const { file, engineLine } =
    found === undefined
      ? { file: {}, engineLine: undefined }
      : parseConfig(found.bytes, displayed(found.path, options.cwd))
  const root = found === undefined ? options.cwd : resolve(dirname(found.path), file.root ?? '.')
  const flags = options.overrides ?? {}
  checkOverrides(flags)
  const config = withDefaults(root, found?.path, file, rebasePaths(flags, options.cwd, root))
  hideSecretsOf(config)
  const engineSource = flags.engine === undefined ? engineLine : '--engine'
  if (config.engine?.startsWith('dbt:') !== true) return { ...config, engineSource }
  const { engine, env } = await readDbtProfile(config.engine.slice('dbt:'.length), root, process.env)
  return { ...config, engine, engineEnv: env, engineSource }
}

function hideSecretsOf({ llm, agent, engineTokenEnv }: Config): void {
  const tokenEnv = agent.kind === 'http' ? agent.tokenEnv : undefined
  const endpoints = Object.values(llm.roles).map(({ endpoint }) => endpoint)
  const headers = endpoints.flatMap((endpoint) => Object.values(endpoint.headers))
  const keys = [
    ...endpoints.map(({ keyEnv }) => keyEnv),
    ...headers.map((value) => (typeof value === 'string' ? undefined : value.env)),
    tokenEnv,
    engineTokenEnv,
  ].filter((name) => name !== undefined)
  hideVariables(keys, agent.kind === 'command' ? agent.env : [])
}

async function findFile(
  options: LoadConfigOptions,
): Promise<{ readonly path: string; readonly bytes: Uint8Array } | undefined> {
  if (options.file !== undefined) {
    const path = resolve(options.cwd, options.file)
    const bytes = await read(path)
    if (bytes !== undefined) return { path, bytes }
    throw new AutotestError('config_invalid', `${options.file}: no such file`, {
      hint: 'Give an existing file, as in --config autotest.config.yaml.',
    })
  }
  const [benchmark, ...others] = options.overrides?.benchmarks ?? []
  const ofBenchmark =
    benchmark === undefined || others.length > 0 ? undefined : await fileIn(resolve(options.cwd, benchmark))
  if (ofBenchmark !== undefined) return ofBenchmark
  for (let folder = options.cwd; ; folder = dirname(folder)) {
    const found = await fileIn(folder)
    if (found !== undefined) return found
    if (dirname(folder) === folder) return undefined
  }
}

/** Returns the configuration in a folder; undefined if there is none. */
async function fileIn(
  folder: string,
): Promise<{ readonly path: string; readonly bytes: Uint8Array } | undefined> {
  for (const name of configFileNames) {
    const path = join(folder, name)
    const bytes = await read(path)
    if (bytes !== undefined) return { path, bytes }
  }
  return undefined
}

async function read(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readRegularFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw new AutotestError('config_invalid', `${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

interface ParsedConfig {
  readonly file: ConfigFile
  /** Where `engine` is, as `file:line`. */
  readonly engineLine: string | undefined
}

function parseConfig(bytes: Uint8Array, file: string): ParsedConfig {
  const yaml = parseYaml(bytes, file, { code: 'config_invalid' })
  if (yaml.data === null) return { file: {}, engineLine: undefined }
  const parsed = validate(configFile, yaml, 'config_invalid')
  const engineLine = parsed.engine === undefined ? undefined : `${file}:${yaml.locate(['engine']).line}`
  return { file: parsed, engineLine }
}

function withDefaults(
  root: string,
  path: string | undefined,
  file: ConfigFile,
  flags: ConfigOverrides,
): Config {
  const { scoring, limits, repair, budget } = file
  const knowledge = knowledgeOf(root, flags.kb ?? file.kb)
  const agent = file.agent ?? defaultAgent(root, knowledge)
  const agentTimeout = agent.kind === 'command' || agent.kind === 'http' ? agent.timeout : undefined
  const benchmarks = flags.benchmarks ?? file.benchmarks ?? ['benchmarks']
  return {
    root,
    file: path,
    benchmarks: typeof benchmarks === 'string' ? [benchmarks] : benchmarks,
    ...knowledge,
    agents: folderInside(root, file.agents ?? 'agents', 'agents'),
    engine: flags.engine ?? file.engine,
    engineEnv: {},
    engineSource: undefined,
    engineTokenEnv: file.engine_token_env ?? 'AUTOTEST_HTTP_TOKEN',
    allowFunctions: file.allow_functions ?? [],
    fixture: file.fixture,
    dialect: flags.dialect ?? file.dialect,
    agent: agentOfRun(flags.agent, agentOf(agent)),
    asOf: flags.asOf ?? file.as_of,
    tests: {
      project: pythonProject(root, file.tests?.project ?? '.'),
      python: flags.python ?? file.tests?.python,
      folder: file.tests?.folder,
      seconds: file.tests?.seconds ?? 1.5,
      minMutationScore: file.tests?.min_mutation_score ?? 0.8,
    },
    scoring: {
      policy: flags.policy ?? scoring?.policy ?? 'evidence',
      tolerance: flags.tolerance ?? scoring?.tolerance ?? 1e-4,
      fuzz: flags.fuzz ?? scoring?.fuzz ?? 5,
      fuzzSource: scoring?.fuzz_source,
      seed: flags.seed ?? scoring?.seed ?? 1,
      shownRows: scoring?.rows ?? 'full',
    },
    limits: {
      concurrency: flags.concurrency ?? limits?.concurrency ?? 4,
      queryTimeoutMs: limits?.query_timeout ?? 30_000,
      rows: limits?.rows ?? 100_000,
      bytes: limits?.bytes ?? 64e6,
      memoryBytes: limits?.memory ?? 1e9,
      agentTimeoutMs: agentTimeout ?? limits?.agent_timeout ?? 120_000,
    },
    repair: {
      maxRetries: flags.maxRetries ?? repair?.max_retries ?? 3,
      minGrade: flags.minGrade ?? repair?.min_grade ?? 'E1',
      repairers: flags.repairers ?? repair?.repairer,
      showExpected: repair?.show_expected ?? false,
    },
    budget: {
      timeMs: flags.timeMs ?? budget?.time ?? undefined,
      scan: flags.scan ?? budget?.scan ?? undefined,
      // Null in the file removes the limit; an absent key keeps the default.
      calls: flags.llmCalls ?? (budget?.llm_calls === null ? undefined : (budget?.llm_calls ?? 50)),
      tokens: flags.tokens ?? budget?.tokens ?? undefined,
      cost: flags.cost ?? budget?.cost ?? undefined,
      shares: budget?.shares ?? {},
    },
    llm: llmOf(file),
  }
}

/** Returns the settings of models; that of an agent with tools may stand beside its definition. */
function llmOf({ llm, agent }: ConfigFile): Config['llm'] {
  const config = llmConfig(llm)
  if (agent?.kind !== 'subagent') return config
  const { repairer } = config.roles
  // It repairs tools, and not a knowledge base.
  const definition = llm?.roles?.repairer?.definition ?? toolRepairerDefinition
  const roles = { ...config.roles, repairer: { ...repairer, definition } }
  const model = agent.model === 'rules' || repeatedRun(agent.model) !== undefined ? undefined : agent.model
  if (model === undefined) return { ...config, roles }
  const { test_writer: writer } = roles
  return { ...config, roles: { ...roles, test_writer: { ...writer, model: writer.model ?? model } } }
}

/** Returns the agent of the flags, else that of the file; what a flag repeats is of the file's definition. */
function agentOfRun(flag: AgentConfig | undefined, file: AgentConfig): AgentConfig {
  if (flag?.kind === 'subagent' && file.kind === 'subagent' && repeatedRun(flag.model) !== undefined)
    return { ...flag, definition: file.definition }
  return flag ?? file
}

/** Where there are no metrics that the template agent could answer from, entries of other formats are. */
function defaultAgent(
  root: string,
  { kb, sources }: Pick<Config, 'kb' | 'sources'>,
): { readonly kind: 'template' | 'knowledge' } {
  const isOther = sources.length > 0 && !existsSync(join(root, kb, 'metrics'))
  return { kind: isOther ? 'knowledge' : 'template' }
}

function agentOf(
  agent: NonNullable<ConfigFile['agent']> | { readonly kind: 'template' | 'knowledge' },
): AgentConfig {
  switch (agent.kind) {
    case 'command':
      return { kind: agent.kind, run: agent.run, deterministic: agent.deterministic, env: agent.env }
    case 'http':
      return {
        kind: agent.kind,
        url: agent.url,
        deterministic: agent.deterministic,
        tokenEnv: agent.token_env,
      }
    case 'subagent':
      return { kind: agent.kind, definition: agent.definition, model: agent.model }
    case 'llm': {
      const { error_turn: errorTurn, ...rest } = agent
      return { ...rest, errorTurn }
    }
    default:
      return agent
  }
}

function displayed(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short.length < path.length ? short : path
}
