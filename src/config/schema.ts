import { z } from 'zod'
import { dialects } from '../enums/dialect.js'
import { knowledgeFormats } from '../enums/knowledge-format.js'
import { roles } from '../enums/role.js'
import { rowPrivacies } from '../enums/row-privacy.js'
import { policies } from '../enums/verdict-policy.js'
import { engineProblem } from '../text/secrets.js'
import { llmAgentDefaults, repairers, subagentDefaults } from './config.js'
import { httpUrl, nonBlankString, variableName } from './endpoint-schema.js'
import { llm } from './llm-schema.js'
import { splitCommand } from './split-command.js'
import {
  concurrency,
  durationMs,
  fuzz,
  isoDate,
  maxRetries,
  nonNegativeInteger,
  nonNegativeNumber,
  scanLimit,
  seed,
  sizeBytes,
  tolerance,
} from './value-schemas.js'

export const engine = nonBlankString.superRefine((text, context) => {
  const message = engineProblem(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

const command = z.union([
  z.array(nonBlankString).min(1, 'is empty'),
  z.string().transform((text, context) => {
    const words = splitCommand(text)
    if (words !== undefined) return words
    context.addIssue({ code: 'custom', message: 'must be a program with its arguments, quotes closed' })
    return z.NEVER
  }),
])

const deterministicMeaning =
  'Whether equal questions always get equal answers. `true`: each question is asked once.'
const deterministic = z.boolean().default(false).describe(deterministicMeaning)

const agent = z
  .looseObject({ kind: z.enum(['template', 'knowledge', 'module', 'command', 'http', 'llm', 'subagent']) })
  .pipe(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('template') }),
      z.strictObject({ kind: z.literal('knowledge') }),
      z.strictObject({
        kind: z.literal('module'),
        path: nonBlankString.describe(
          'JavaScript file whose default export answers; relative to the project.',
        ),
        deterministic,
      }),
      z.strictObject({
        kind: z.literal('command'),
        run: command.describe('Program and arguments, as a list or as one text. No shell reads it.'),
        timeout: durationMs.optional().describe('Deadline of one answer. Default: `limits.agent_timeout`.'),
        deterministic,
        env: z
          .array(variableName)
          .default([])
          .describe('Environment variables that the program is given in addition to the basic ones.'),
      }),
      z.strictObject({
        kind: z.literal('http'),
        url: httpUrl.describe('Address of the service, without a password or token.'),
        timeout: durationMs
          .optional()
          .describe('Deadline of one answer with all its retries. Default: `limits.agent_timeout`.'),
        deterministic,
        token_env: variableName
          .optional()
          .describe('Environment variable that holds the bearer token. Absent: none is sent.'),
      }),
      z.strictObject({
        kind: z.literal('llm'),
        definition: nonBlankString
          .default(llmAgentDefaults.definition)
          .describe('File with its prompts and answer schema, below `agents`.'),
        entries: z
          .int()
          .min(1, 'must be at least 1')
          .max(100, 'must be at most 100')
          .default(llmAgentDefaults.entries)
          .describe('Most entries of the knowledge base that the model is shown for a question.'),
        error_turn: z
          .boolean()
          .default(llmAgentDefaults.errorTurn)
          .describe("Whether the model is shown the database's error for its SQL, once, and answers again."),
        deterministic: z.boolean().default(llmAgentDefaults.deterministic).describe(deterministicMeaning),
      }),
      z.strictObject({
        kind: z.literal('subagent'),
        definition: nonBlankString
          .default(subagentDefaults.definition)
          .describe(
            'File with its prompts and tools, below `agents`. It writes [unit tests](tests-domain.md).',
          ),
        model: nonBlankString
          .optional()
          .describe(
            '`rules` (no model), a model as in `openai:gpt-5-mini`, or `trace:RUN`: what it said in that run. Absent: the model of the definition.',
          ),
      }),
    ]),
  )

const tests = z.strictObject({
  project: nonBlankString
    .optional()
    .describe(
      'Folder of the Python project under test, inside the project. Absent, or `.`: the project itself.',
    ),
  python: nonBlankString
    .optional()
    .describe('Interpreter to run it with. Absent: an active or local virtual environment, else `python3`.'),
  folder: nonBlankString
    .optional()
    .describe(
      'Folder for new test files, or `beside-source`. Absent: `tests/unit`, `tests`, `test` or `rora_tests`, the first that exists.',
    ),
  seconds: z
    .number()
    .positive('must be more than 0')
    .max(600, 'must be at most 600')
    .optional()
    .describe(
      'Seconds that inputs of one function are searched for, by the rules and for the mutants that count.',
    ),
  min_mutation_score: z
    .number()
    .min(0, 'must not be negative')
    .max(1, 'must be at most 1')
    .optional()
    .describe(
      'Least share of the mutants known to be killable that tests must kill, for cases that say nothing else.',
    ),
})

const share = z.number().gt(0, 'must be more than 0').max(1, 'must be at most 1')

const scoring = z.strictObject({
  policy: z
    .enum(policies)
    .optional()
    .describe('What a pass requires; see [scoring.md](scoring.md#policies).'),
  tolerance: tolerance.optional().describe('Relative tolerance of numbers that are not integers.'),
  fuzz: fuzz
    .optional()
    .describe(
      'Fuzzed copies of the database on which queries of different structure are compared. `0`: none.',
    ),
  fuzz_source: engine
    .optional()
    .describe('Database whose copies are used where the engine cannot be copied.'),
  seed: seed.optional().describe('Seed of the fuzzed copies: equal seeds make equal copies.'),
  rows: z
    .enum(rowPrivacies)
    .optional()
    .describe(
      'What the run database, reports, comments and prompts hold of rows that differ: their values (`full`, the default), marks that tell equal values from others (`masked`), or only how many there are (`none`).',
    ),
})

const limits = z.strictObject({
  concurrency: concurrency.optional().describe('Questions and queries at a time.'),
  query_timeout: durationMs.optional().describe('Deadline of one query.'),
  rows: z
    .int()
    .min(1, 'must be at least 1')
    .max(10_000_000, 'must be at most 10000000')
    .optional()
    .describe('Most rows of a result. A result that is cut never matches.'),
  bytes: sizeBytes.optional().describe('Most bytes of a result. A result that is cut never matches.'),
  memory: sizeBytes
    .optional()
    .describe('Resident memory that one engine process may use. A query that exceeds it is stopped.'),
  agent_timeout: durationMs.optional().describe('Deadline of one answer of the agent.'),
})

const repair = z.strictObject({
  max_retries: maxRetries.optional().describe('Most repair plans that are tried for one cause. `0`: none.'),
  min_grade: z
    .enum(['E1', 'E2'])
    .optional()
    .describe(
      'Least evidence for a repair. `E1`: one case and its twins; `E2`: a real case that the plan was made without.',
    ),
  repairer: z
    .array(z.enum(repairers))
    .min(1, 'is empty')
    .optional()
    .describe(
      'Who proposes repairs, in the order tried. Default: `rules`, then `llm` where `llm:` is configured and its key is set or not needed.',
    ),
  show_expected: z
    .boolean()
    .optional()
    .describe('Whether a model that repairs is shown the expected queries.'),
})

const budget = z.strictObject({
  time: durationMs.nullish().describe('Longest duration of the run.'),
  scan: scanLimit
    .nullish()
    .describe(
      'Most that engines may read (`10GB`, where they say so), or most seconds that queries may take together (`5m`).',
    ),
  llm_calls: nonNegativeInteger.nullish().describe('Most calls to models. `null`: no limit.'),
  tokens: nonNegativeInteger.nullish().describe('Most input and output tokens together.'),
  cost: nonNegativeNumber.nullish().describe('Most money, by `llm.prices`.'),
  shares: z
    .partialRecord(z.enum(roles), share)
    .optional()
    .describe('Largest part of each limit that a role may use, above 0 and at most 1.'),
})

const functionName = z
  .string()
  .regex(
    /^[\p{L}_][\p{L}\p{N}_$]*(?:\.[\p{L}_][\p{L}\p{N}_$]*)?$/u,
    'must be the name of a function, as in my_function or schema.my_function, without parentheses',
  )

const knowledgeSource = z.strictObject({
  path: nonBlankString,
  format: z.enum(knowledgeFormats).default('auto'),
  question: nonBlankString.optional(),
  sql: nonBlankString.optional(),
  id: nonBlankString.optional(),
})

export const configFile = z.strictObject({
  root: nonBlankString
    .optional()
    .describe('Folder of the project, relative to this file. Absent: the folder of this file.'),
  benchmarks: z
    .union([nonBlankString, z.array(nonBlankString).min(1, 'is empty')])
    .optional()
    .describe('Benchmark files, folders or globs.'),
  kb: z
    .union([nonBlankString, z.array(z.union([nonBlankString, knowledgeSource])).min(1, 'is empty')])
    .optional()
    .describe(
      'Folder of the [knowledge base](knowledge.md), inside the project, or a list of folders and files, each with its [format](knowledge-formats.md). Repairs change nothing else.',
    ),
  agents: nonBlankString
    .optional()
    .describe('Folder of the definitions of models (`*.yaml`), inside the project.'),
  engine: engine
    .optional()
    .describe(
      'Database, opened read-only: `duckdb:FILE`, `sqlite:FILE`, `postgres://USER@HOST/DATABASE`, `mysql://USER@HOST/DATABASE` ([engines.md](engines.md)) or the address of a [query service](http-engine.md).',
    ),
  engine_token_env: variableName
    .optional()
    .describe('Environment variable that holds the bearer token of a query service.'),
  allow_functions: z
    .array(functionName)
    .optional()
    .describe(
      'Functions of PostgreSQL, MySQL or MariaDB that queries may call though they are declared to do more than read: `my_function`, `schema.my_function` ([engines.md](engines.md#functions)).',
    ),
  fixture: nonBlankString
    .optional()
    .describe('SQL script that the database file is built from where it is absent.'),
  dialect: z
    .enum(dialects)
    .optional()
    .describe("Dialect of the agent's SQL. Absent: the engine's. A query service needs it."),
  agent: agent.optional().describe('Agent under test: see below.'),
  as_of: isoDate.optional().describe('Day that relative periods ("last 7 days") refer to. Absent: today.'),
  tests: tests
    .optional()
    .describe('Unit tests for Python: see below, and [tests-domain.md](tests-domain.md).'),
  scoring: scoring.optional().describe('How answers are scored: see below.'),
  limits: limits.optional().describe('Limits of queries and answers: see below.'),
  repair: repair.optional().describe('What repairs require: see below.'),
  budget: budget.optional().describe('What a run may spend: see below, and [budget.md](budget.md).'),
  llm: llm.optional().describe('Models: see below.'),
})

export type ConfigFile = z.output<typeof configFile>
