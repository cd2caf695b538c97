import { z } from 'zod'
import { dialects } from '../enums/dialect.js'
import { isIsoDate } from '../text/iso-date.js'
import { engineProblem } from '../text/secrets.js'
import type { BenchmarkCase } from './case.js'
import type { CaseBuilder, CaseKind } from './case-kind.js'

/** A text with at least one visible character. */
export const filled = z.string().refine((text) => /[^\s\p{C}]/u.test(text), 'is empty')

/** Keys of rows of every kind of case, besides `kind`. */
export const caseFields = {
  id: z
    .string()
    .max(120, 'is longer than 120 characters')
    .regex(
      /^(?!-)[\p{L}\p{M}\p{N}_\-.:/]+$/u,
      'may only contain letters, digits and `_ - . : /`, and may not begin with a dash',
    ),
  question: filled,
  tags: z.array(filled.refine((tag) => !tag.includes(','), 'must not contain a comma')).nullish(),
}

const engine = filled.superRefine((text, context) => {
  const message = engineProblem(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

/** Returns the schema of a benchmark file with rows of these kinds. */
export function benchmarkFile<C extends BenchmarkCase>(
  kinds: readonly [CaseKind<C>, ...CaseKind<C>[]],
): z.ZodType<BenchmarkFile<C>> {
  return z.strictObject({
    engine: engine.optional(),
    dialect: z.enum(dialects).optional(),
    as_of: z.string().refine(isIsoDate, 'must be a date as in 2025-12-31').optional(),
    cases: z
      .array(rowOf(kinds))
      .min(1, 'contains no case: add one with id, question and expected_sql, or remove the file'),
  })
}

export interface BenchmarkFile<C extends BenchmarkCase> {
  readonly engine?: string | undefined
  readonly dialect?: (typeof dialects)[number] | undefined
  readonly as_of?: string | undefined
  readonly cases: readonly CaseBuilder<C>[]
}

function rowOf<C extends BenchmarkCase>([first, ...others]: readonly [
  CaseKind<C>,
  ...CaseKind<C>[],
]): z.ZodType<CaseBuilder<C>> {
  return others.length === 0
    ? first.row
    : z.discriminatedUnion('kind', [first.row, ...others.map(({ row }) => row)])
}
