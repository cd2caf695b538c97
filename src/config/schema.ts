import { z } from 'zod'
import { dialects } from '../dialect.js'
import { isIsoDate } from '../iso-date.js'
import { policies } from '../policy.js'
import { splitCommand } from './command-line.js'
import { parseDuration, parseSize } from './units.js'

/** A timer takes no more. */
const maxDurationMs = 2 ** 31 - 1

/** Of the environment. */
const variable = z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')

const filled = z.string().refine((text) => text.trim() !== '', 'is empty')

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

const command = z.union([
  z.array(filled).min(1, 'is empty'),
  z.string().transform((text, context) => {
    const words = splitCommand(text)
    if (words !== undefined) return words
    context.addIssue({ code: 'custom', message: 'must be a program with its arguments, quotes closed' })
    return z.NEVER
  }),
])

const agent = z.looseObject({ kind: z.enum(['template', 'module', 'command']) }).pipe(
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('template') }),
    z.strictObject({ kind: z.literal('module'), path: filled, deterministic: z.boolean().default(false) }),
    z.strictObject({
      kind: z.literal('command'),
      run: command,
      timeout: durationMs.optional(),
      deterministic: z.boolean().default(false),
      env: z.array(variable).default([]),
    }),
  ]),
)

/** A cap on something that this version never spends holds whatever it is. */
const llmCap = z.number().min(0, 'must not be negative').nullish()

export const configFile = z.strictObject({
  benchmarks: z.union([filled, z.array(filled).min(1, 'is empty')]).optional(),
  kb: filled.optional(),
  agents: filled.optional(),
  engine: filled.optional(),
  engine_token_env: variable.optional(),
  fixture: filled.optional(),
  dialect: z.enum(dialects).optional(),
  agent: agent.optional(),
  as_of: isoDate.optional(),
  scoring: z
    .strictObject({
      policy: z.enum(policies).optional(),
      tolerance: tolerance.optional(),
      fuzz: fuzz.optional(),
      fuzz_source: filled.optional(),
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
      repairer: z.array(z.literal('rules')).min(1, 'is empty').optional(),
      show_expected: z.literal(false).optional(),
    })
    .optional(),
  budget: z
    .strictObject({ time: durationMs.nullish(), llm_calls: llmCap, tokens: llmCap, cost: llmCap })
    .optional(),
})

export type ConfigFile = z.output<typeof configFile>
