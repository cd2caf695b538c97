import { z } from 'zod'
import { dialects } from '../enums/dialect.js'
import { roles } from '../enums/role.js'
import { policies } from '../enums/verdict-policy.js'
import { isIsoDate } from '../text/iso-date.js'
import { engineProblem } from '../text/secrets.js'
import { llmAgentDefaults, repairers } from './config.js'
import { endpoint, extraBody, httpUrl, nonBlankString, variableName } from './endpoint-schema.js'
import { splitCommand } from './split-command.js'
import { parseDuration, parseSize } from './units.js'

/** A timer takes no more. */
const maxDurationMs = 2 ** 31 - 1

/** Text or a number in the file, a number with its unit applied in the result. */
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

const durationMs = measure(parseDuration, '30s, 10m or 500ms', maxDurationMs)
const sizeBytes = measure(parseSize, '64MB or 1GB', Number.MAX_SAFE_INTEGER)

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
export const isoDate = z.string().refine(isIsoDate, 'must be a date as in 2025-12-31')

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

const agent = z.looseObject({ kind: z.enum(['template', 'module', 'command', 'http', 'llm']) }).pipe(
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('template') }),
    z.strictObject({
      kind: z.literal('module'),
      path: nonBlankString,
      deterministic: z.boolean().default(false),
    }),
    z.strictObject({
      kind: z.literal('command'),
      run: command,
      timeout: durationMs.optional(),
      deterministic: z.boolean().default(false),
      env: z.array(variableName).default([]),
    }),
    z.strictObject({
      kind: z.literal('http'),
      url: httpUrl,
      timeout: durationMs.optional(),
      deterministic: z.boolean().default(false),
      token_env: variableName.optional(),
    }),
    z.strictObject({
      kind: z.literal('llm'),
      definition: nonBlankString.default(llmAgentDefaults.definition),
      entries: z
        .int()
        .min(1, 'must be at least 1')
        .max(100, 'must be at most 100')
        .default(llmAgentDefaults.entries),
      error_turn: z.boolean().default(llmAgentDefaults.errorTurn),
      deterministic: z.boolean().default(llmAgentDefaults.deterministic),
    }),
  ]),
)

export const nonNegativeInteger = z.int().min(0, 'must not be negative')
export const nonNegativeNumber = z.number().min(0, 'must not be negative')

const role = z.strictObject({
  ...endpoint,
  model: nonBlankString.refine((text) => !/^\w+:\s*$/.test(text.trim()), 'names no model').optional(),
  definition: nonBlankString.optional(),
  temperature: z.number().min(0, 'must not be negative').max(2, 'must be at most 2').optional(),
  seed: seed.optional(),
  timeout: durationMs.optional(),
  max_tokens: z.int().min(1, 'must be at least 1').max(1_000_000, 'must be at most 1000000').optional(),
  extra_body: extraBody.optional(),
})

const price = z.strictObject({ in: nonNegativeNumber, out: nonNegativeNumber })
const share = z.number().gt(0, 'must be more than 0').max(1, 'must be at most 1')

const llm = z.strictObject({
  ...endpoint,
  timeout: durationMs.optional(),
  roles: z.partialRecord(z.enum(roles), role).optional(),
  prices: z.record(nonBlankString, price).optional(),
})

export const configFile = z.strictObject({
  benchmarks: z.union([nonBlankString, z.array(nonBlankString).min(1, 'is empty')]).optional(),
  kb: nonBlankString.optional(),
  agents: nonBlankString.optional(),
  engine: engine.optional(),
  engine_token_env: variableName.optional(),
  fixture: nonBlankString.optional(),
  dialect: z.enum(dialects).optional(),
  agent: agent.optional(),
  as_of: isoDate.optional(),
  scoring: z
    .strictObject({
      policy: z.enum(policies).optional(),
      tolerance: tolerance.optional(),
      fuzz: fuzz.optional(),
      fuzz_source: engine.optional(),
      seed: seed.optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      concurrency: concurrency.optional(),
      query_timeout: durationMs.optional(),
      rows: z.int().min(1, 'must be at least 1').max(10_000_000, 'must be at most 10000000').optional(),
      bytes: sizeBytes.optional(),
      memory: sizeBytes.optional(),
      agent_timeout: durationMs.optional(),
    })
    .optional(),
  repair: z
    .strictObject({
      max_retries: maxRetries.optional(),
      min_grade: z.enum(['E1', 'E2']).optional(),
      repairer: z.array(z.enum(repairers)).min(1, 'is empty').optional(),
      show_expected: z.boolean().optional(),
    })
    .optional(),
  budget: z
    .strictObject({
      time: durationMs.nullish(),
      llm_calls: nonNegativeInteger.nullish(),
      tokens: nonNegativeInteger.nullish(),
      cost: nonNegativeNumber.nullish(),
      shares: z.partialRecord(z.enum(roles), share).optional(),
    })
    .optional(),
  llm: llm.optional(),
})

export type ConfigFile = z.output<typeof configFile>
