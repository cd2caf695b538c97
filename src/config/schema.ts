import { z } from 'zod'
import { dialects } from '../enums/dialect.js'
import { roles } from '../enums/role.js'
import { policies } from '../enums/verdict-policy.js'
import { isIsoDate } from '../text/iso-date.js'
import { engineProblem } from '../text/secrets.js'
import { llmAgentDefaults, repairers, streamSettings, structuredSettings } from './config.js'
import { endpoint, extraBody, httpUrl, nonBlankString, variableName } from './endpoint-schema.js'
import { modelProviderNames } from './model-providers.js'
import { parseDuration, parseSize } from './parse-units.js'
import { splitCommand } from './split-command.js'

/** Timers accept no longer duration. */
const maxDurationMs = 2 ** 31 - 1

/** Accepts text or a number in the file, and results in a number in the base unit. */
function measure(parse: (text: string) => number | undefined, example: string, most: number) {
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const parsed = parse(String(value))
    if (parsed !== undefined && parsed > 0 && parsed <= most) return parsed
    const message =
      parsed === undefined ? `must be written with its unit, as in ${example}` : 'is out of range'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}

// Titles name the types in docs/configuration.md, descriptions are the explanations there
// (scripts/config-docs.js).
const durationMs = measure(parseDuration, '30s, 10m or 500ms', maxDurationMs).meta({ title: 'duration' })
const sizeBytes = measure(parseSize, '64MB or 1GB', Number.MAX_SAFE_INTEGER).meta({ title: 'size' })

export const concurrency = z.int().min(1, 'must be at least 1').max(256, 'must be at most 256')
export const maxRetries = z.int().min(0, 'must not be negative').max(100, 'must be at most 100')
export const tolerance = z
  .number()
  .min(0, 'must not be negative')
  .lt(1, 'must be below 1, or anything matches')
export const fuzz = z.int().min(0, 'must not be negative').max(100, 'must be at most 100')
export const seed = z
  .int()
  .min(0, 'must not be negative')
  .max(2 ** 31 - 1, 'must be at most 2147483647')
export const isoDate = z.string().refine(isIsoDate, 'must be a date as in 2025-12-31').meta({ title: 'date' })

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

const agent = z.looseObject({ kind: z.enum(['template', 'module', 'command', 'http', 'llm']) }).pipe(
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('template') }),
    z.strictObject({
      kind: z.literal('module'),
      path: nonBlankString.describe('JavaScript file whose default export answers; relative to the project.'),
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
  ]),
)

export const nonNegativeInteger = z.int().min(0, 'must not be negative')
export const nonNegativeNumber = z.number().min(0, 'must not be negative')

const reached = {
  provider: z
    .enum(modelProviderNames)
    .optional()
    .describe(
      'Service or server with a known address, key variable and abilities. Absent: the address decides. See [agents.md](agents.md#model-providers).',
    ),
  structured: z
    .enum(structuredSettings)
    .optional()
    .describe(
      'How the form of an answer is enforced: `schema` (`response_format: json_schema`), `tool` (a forced tool call), `object` (`json_object`, with the schema in the prompt) or `text` (the prompt alone). `auto`: the strictest that the endpoint supports and that has an effect.',
    ),
  stream: z
    .enum(streamSettings)
    .optional()
    .describe(
      'Whether answers are streamed, so that a model that repeats itself is stopped early. `auto`: on servers of your own network, elsewhere once a model was seen to loop.',
    ),
  base_url: endpoint.base_url.describe(
    'Address that `/chat/completions` is appended to. Absent: OpenAI (of a role: that of `llm`).',
  ),
  key_env: endpoint.key_env.describe(
    'Environment variable that holds the key. Default: `OPENAI_API_KEY` without a `base_url`, none with one. Of a role, `null`: none is sent.',
  ),
  extra_headers: endpoint.extra_headers.describe(
    'Headers of each request. A secret is written `{ env: NAME }`.',
  ),
  extra_query: endpoint.extra_query.describe('Query parameters of each request.'),
}

const role = z.strictObject({
  model: nonBlankString
    .refine((text) => !/^\w+:\s*$/.test(text.trim()), 'has no model')
    .optional()
    .describe(
      'Model, as `gpt-5-mini`, `openai:gpt-5-mini` or `scripted:FILE`. Absent: that of the definition.',
    ),
  definition: nonBlankString.optional().describe('File with the prompts of the role, below `agents`.'),
  temperature: z
    .number()
    .min(0, 'must not be negative')
    .max(2, 'must be at most 2')
    .optional()
    .describe('Sampling temperature. Absent: not sent.'),
  seed: seed.optional().describe('Sampling seed. Absent: not sent.'),
  timeout: durationMs
    .optional()
    .describe('Deadline of one answer with all its retries. Absent: `llm.timeout`.'),
  max_tokens: z
    .int()
    .min(1, 'must be at least 1')
    .max(1_000_000, 'must be at most 1000000')
    .optional()
    .describe('Most tokens of one answer.'),
  extra_body: extraBody
    .optional()
    .describe('Fields of each request that the protocol does not have, as `reasoning_effort` or `top_p`.'),
  ...reached,
})

const price = z.strictObject({
  in: nonNegativeNumber.describe('Price of a million input tokens.'),
  out: nonNegativeNumber.describe('Price of a million output tokens.'),
})
const share = z.number().gt(0, 'must be more than 0').max(1, 'must be at most 1')

const llm = z.strictObject({
  ...reached,
  timeout: durationMs.optional().describe('Deadline of one answer with all its retries.'),
  roles: z
    .partialRecord(z.enum(roles), role)
    .optional()
    .describe('Settings of each role. A judge is asked only where `judge` is named here.'),
  prices: z
    .record(nonBlankString, price)
    .optional()
    .describe('Prices by model, in the currency of `budget.cost`.'),
})

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
  llm_calls: nonNegativeInteger.nullish().describe('Most calls to models. `null`: no limit.'),
  tokens: nonNegativeInteger.nullish().describe('Most input and output tokens together.'),
  cost: nonNegativeNumber.nullish().describe('Most money, by `llm.prices`.'),
  shares: z
    .partialRecord(z.enum(roles), share)
    .optional()
    .describe('Largest part of each limit that a role may use, above 0 and at most 1.'),
})

export const configFile = z.strictObject({
  benchmarks: z
    .union([nonBlankString, z.array(nonBlankString).min(1, 'is empty')])
    .optional()
    .describe('Benchmark files, folders or globs.'),
  kb: nonBlankString
    .optional()
    .describe(
      'Folder of the [knowledge base](knowledge.md), inside the project. Repairs change nothing else.',
    ),
  agents: nonBlankString
    .optional()
    .describe('Folder of the definitions of models (`*.yaml`), inside the project.'),
  engine: engine
    .optional()
    .describe(
      'Database, opened read-only: `duckdb:FILE`, `sqlite:FILE` or the address of a [query service](http-engine.md).',
    ),
  engine_token_env: variableName
    .optional()
    .describe('Environment variable that holds the bearer token of a query service.'),
  fixture: nonBlankString
    .optional()
    .describe('SQL script that the database file is built from where it is absent.'),
  dialect: z
    .enum(dialects)
    .optional()
    .describe("Dialect of the agent's SQL. Absent: the engine's. A query service needs it."),
  agent: agent.optional().describe('Agent under test: see below.'),
  as_of: isoDate.optional().describe('Day that relative periods ("last 7 days") refer to. Absent: today.'),
  scoring: scoring.optional().describe('How answers are scored: see below.'),
  limits: limits.optional().describe('Limits of queries and answers: see below.'),
  repair: repair.optional().describe('What repairs require: see below.'),
  budget: budget.optional().describe('What a run may spend: see below, and [budget.md](budget.md).'),
  llm: llm.optional().describe('Models: see below.'),
})

export type ConfigFile = z.output<typeof configFile>
