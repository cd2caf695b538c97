import { z } from 'zod'
import { dialects } from '../enums/dialect.js'
import { policies } from '../enums/verdict-policy.js'
import { isIsoDate } from '../text/iso-date.js'
import { engineProblem } from '../text/secrets.js'

/** Something that can be seen. */
const filled = z.string().refine((text) => /[^\s\p{C}]/u.test(text), 'is empty')

const id = z
  .string()
  .max(120, 'is longer than 120 characters')
  .regex(
    /^(?!-)[\p{L}\p{M}\p{N}_\-.:/]+$/u,
    'may only contain letters, digits and `_ - . : /`, and may not begin with a dash',
  )

const compare = z.strictObject({
  order: z.enum(['auto', 'ordered', 'unordered']).optional(),
  tolerance: z
    .number()
    .min(0, 'must not be negative')
    .lt(1, 'must be below 1, or anything matches')
    .optional(),
  columns: z.enum(['auto', 'name', 'position', 'values']).optional(),
  policy: z.enum(policies).optional(),
})

const sqlCase = z.strictObject({
  kind: z.literal('sql').optional(),
  id,
  question: filled,
  expected_sql: filled,
  tags: z.array(filled.refine((tag) => !tag.includes(','), 'must not contain a comma')).nullish(),
  compare: compare.optional(),
})

const engine = filled.superRefine((text, context) => {
  const message = engineProblem(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

/** One benchmark file; a superset of the plain form `cases: [{id, question, expected_sql, tags}]`. */
export const benchmarkFile = z.strictObject({
  engine: engine.optional(),
  dialect: z.enum(dialects).optional(),
  as_of: z.string().refine(isIsoDate, 'must be a date as in 2025-12-31').optional(),
  cases: z
    .array(sqlCase)
    .min(1, 'contains no case: add one with id, question and expected_sql, or remove the file'),
})

export type BenchmarkFile = z.output<typeof benchmarkFile>
