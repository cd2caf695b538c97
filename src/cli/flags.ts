import type { Options } from 'yargs'
import { budgetFlags } from './budget-flags.js'
import { modelFlags } from './model-flags.js'

/** Flags of the main command as parsed; names as typed. */
export interface RunFlags {
  readonly benchmark?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly id?: readonly string[] | undefined
  readonly 'max-retries'?: number | undefined
  readonly 'max-time'?: string | undefined
  readonly 'max-scan'?: string | undefined
  readonly 'max-llm-calls'?: number | undefined
  readonly 'max-tokens'?: number | undefined
  readonly 'max-cost'?: number | undefined
  readonly repairer?: readonly string[] | undefined
  readonly record?: string | undefined
  readonly replay?: string | undefined
  readonly 'no-repair'?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
  readonly yes?: boolean | undefined
  readonly 'no-commit'?: boolean | undefined
  readonly 'allow-dirty'?: boolean | undefined
  readonly 'follow-benchmark'?: readonly string[] | undefined
  readonly 'min-grade'?: string | undefined
  readonly policy?: string | undefined
  readonly fuzz?: number | undefined
  readonly seed?: number | undefined
  readonly engine?: string | undefined
  readonly agent?: string | undefined
  readonly kb?: string | undefined
  readonly python?: string | undefined
  readonly unsandboxed?: boolean | undefined
  readonly db?: string | undefined
  readonly config?: string | undefined
  readonly concurrency?: number | undefined
  readonly repeat?: number | undefined
  readonly shard?: string | undefined
  readonly 'last-failed'?: boolean | undefined
  readonly resume?: string | undefined
  readonly list?: boolean | undefined
  readonly output?: readonly string[] | undefined
  readonly reporter?: readonly string[] | undefined
  readonly verbose?: boolean | undefined
}

const reporters = ['console', 'plain', 'json', 'junit', 'markdown', 'summary', 'github']

/** Flags of the main command, in the order a new user needs them. */
export const runFlags = {
  tags: {
    type: 'string',
    requiresArg: true,
    array: true,
    describe: 'only cases with any of these tags (a,b)',
    group: 'Which cases:',
  },
  id: {
    type: 'string',
    requiresArg: true,
    array: true,
    describe: 'only this case (repeatable)',
    group: 'Which cases:',
  },
  benchmark: {
    type: 'string',
    requiresArg: true,
    array: true,
    describe: 'files, folders or globs instead of the configured ones',
    group: 'Which cases:',
  },
  shard: {
    type: 'string',
    requiresArg: true,
    describe: 'one of several parts, as 2/4; with --no-repair, then autotest merge',
    group: 'Which cases:',
  },
  'last-failed': {
    type: 'boolean',
    describe: 'only what did not pass in the last run',
    group: 'Which cases:',
  },
  repeat: {
    type: 'number',
    requiresArg: true,
    describe:
      'number of times to ask each case: cases that pass only sometimes are flaky, and not repaired [default: 1]',
    group: 'Which cases:',
  },
  list: { type: 'boolean', describe: 'print the selected cases and stop', group: 'Which cases:' },
  resume: {
    type: 'string',
    describe: 'finish a run that was interrupted or ended with exit code 3 or 4 (the last one, or RUN)',
    group: 'Which cases:',
  },
  'no-repair': { type: 'boolean', describe: 'evaluate only, repair nothing', group: 'Repair:' },
  'dry-run': {
    type: 'boolean',
    describe: 'propose, verify and show repairs, write nothing',
    group: 'Repair:',
  },
  'max-retries': {
    type: 'number',
    requiresArg: true,
    describe: 'repair plans tried for one cause (0: none) [default: 3]',
    group: 'Repair:',
  },
  'min-grade': {
    choices: ['E1', 'E2'],
    requiresArg: true,
    describe: 'minimum evidence for a repair: E1 twins, E2 a second real case [default: E1]',
    group: 'Repair:',
  },
  yes: {
    alias: 'y',
    type: 'boolean',
    describe: 'commit every repair without asking',
    group: 'Repair:',
  },
  'no-commit': {
    type: 'boolean',
    describe: 'leave repairs in the working tree without asking',
    group: 'Repair:',
  },
  'allow-dirty': {
    type: 'boolean',
    describe: 'also repair files with uncommitted changes, without committing them',
    group: 'Repair:',
  },
  'follow-benchmark': {
    type: 'string',
    array: true,
    requiresArg: true,
    describe:
      'repair for these cases although commits or notes say that the knowledge was changed on purpose',
    group: 'Repair:',
  },
  ...budgetFlags,
  ...modelFlags,
  engine: {
    type: 'string',
    requiresArg: true,
    describe: 'database, as duckdb:FILE, sqlite:FILE, postgres://USER@HOST/DATABASE, mysql://… or http:URL',
    group: 'Project:',
  },
  agent: {
    type: 'string',
    requiresArg: true,
    describe: 'template, llm, http:URL, module:FILE or command:PROGRAM',
    group: 'Project:',
  },
  kb: { type: 'string', requiresArg: true, describe: 'folder of the knowledge base', group: 'Project:' },
  python: {
    type: 'string',
    requiresArg: true,
    describe: "interpreter for unit tests [default: the project's virtual environment, else python3]",
    group: 'Project:',
  },
  unsandboxed: {
    type: 'boolean',
    describe: 'run generated tests with your own rights where no sandbox can be had',
    group: 'Project:',
  },
  config: {
    type: 'string',
    requiresArg: true,
    describe: 'configuration file [default: autotest.config.yaml, found upwards]',
    group: 'Project:',
  },
  policy: {
    choices: ['evidence', 'both', 'results', 'structure'],
    requiresArg: true,
    describe: 'verdict policy [default: evidence]',
    group: 'Scoring:',
  },
  fuzz: {
    type: 'number',
    describe: 'fuzzed copies of the database, used where structure does not decide (0: none) [default: 5]',
    group: 'Scoring:',
  },
  seed: {
    type: 'number',
    describe: 'seed of the fuzzed copies [default: 1]',
    group: 'Scoring:',
  },
  concurrency: {
    type: 'number',
    requiresArg: true,
    describe: 'cases asked at once [default: 4]',
    group: 'Scoring:',
  },
  db: {
    type: 'string',
    requiresArg: true,
    describe: 'run database [default: reports/autotest.db]',
    group: 'Output:',
  },
  output: {
    alias: 'o',
    type: 'string',
    requiresArg: true,
    array: true,
    describe: 'report files, by extension: .html .json .xml .md',
    group: 'Output:',
  },
  reporter: {
    choices: reporters,
    requiresArg: true,
    array: true,
    describe: 'output format',
    group: 'Output:',
  },
  verbose: {
    type: 'boolean',
    describe: 'every failing case in full, stack traces',
    group: 'Output:',
  },
} as const satisfies Record<string, Options>

/** Flags of `autotest audit` as parsed. */
export interface AuditFlags
  extends Pick<
    RunFlags,
    | 'benchmark'
    | 'tags'
    | 'id'
    | 'engine'
    | 'kb'
    | 'fuzz'
    | 'seed'
    | 'config'
    | 'db'
    | 'concurrency'
    | 'output'
    | 'verbose'
    | 'max-llm-calls'
  > {
  readonly reporter?: readonly string[] | undefined
  readonly 'null-edit'?: boolean | undefined
  readonly trials?: number | undefined
}

export const auditFlags = {
  'null-edit': {
    type: 'boolean',
    describe: 'measure instead how often verdicts change after an edit without effect',
    group: 'Noise floor:',
  },
  trials: {
    type: 'number',
    requiresArg: true,
    describe: 'times each case is asked before and after the edit [default: 3]',
    group: 'Noise floor:',
  },
  'max-llm-calls': { ...budgetFlags['max-llm-calls'], group: 'Noise floor:' },
  tags: runFlags.tags,
  id: runFlags.id,
  benchmark: runFlags.benchmark,
  engine: runFlags.engine,
  kb: runFlags.kb,
  fuzz: { ...runFlags.fuzz, describe: 'fuzzed copies of the database to try too (0: none) [default: 5]' },
  seed: runFlags.seed,
  config: runFlags.config,
  db: runFlags.db,
  concurrency: { ...runFlags.concurrency, describe: 'queries run at once [default: 4]' },
  output: { ...runFlags.output, describe: 'JSON report, as audit.json' },
  reporter: { ...runFlags.reporter, choices: ['console', 'json'] },
  verbose: { ...runFlags.verbose, describe: 'every mutant with its query, stack traces' },
} as const satisfies Record<string, Options>

/** Flags of the commands that only inspect the project. */
export const projectFlags = {
  config: runFlags.config,
  verbose: { type: 'boolean', describe: 'more detail, stack traces' },
} as const satisfies Record<string, Options>
