import { z } from 'zod'

/** A text that has to be given: what is missing is said in words, and not as a type. */
const required = () =>
  z.string({ error: ({ input }) => (input === undefined ? 'this argument is missing' : undefined) })

/** Ids alone: a path would let a client name a plan that nobody has verified. */
export const runId = required()
  .regex(
    /^(?:r-[0-9a-f]{4,32}|last(?:~\d{1,4})?|previous)$/,
    'the id of a run, as r-7f3a, or last, last~1, previous',
  )
  .describe('id of a run, as r-7f3a; or last, last~1 (the one before it), previous')
const caseId = required().min(1).max(200).describe('id of a case, as list_cases shows it')
const names = z
  .array(z.string().min(1).max(200))
  .min(1, 'name at least one, or leave the argument out')
  .max(200)
const sql = required().min(1).max(100_000)
const repairId = z
  .string()
  .regex(/^p\d{1,5}$/, 'the id of a repair, as p1')
  .describe('only this repair, as p1; absent: all of the run')
const reason = required().max(1000)

/** An object of these arguments and no others; what is refused is answered with those that there are. */
const only = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown argument ${issue.keys.join(', ')}; the arguments are ${Object.keys(shape).join(', ')}`
        : undefined,
  })

/** Arguments of each tool. An argument that a tool does not know is refused: ignored, it might run everything. */
export const toolArguments = {
  list_cases: only({
    tags: names.optional().describe('only cases with any of these tags'),
    contains: z.string().min(1).max(200).optional().describe('only cases whose id or question contains this'),
    offset: z.int().min(0).default(0).describe('how many to leave out'),
    limit: z.int().min(1).max(50).default(20).describe('how many to return at most'),
  }),
  show_case: only({ case: caseId, run: runId.default('last') }),
  run: only({
    ids: names.optional().describe('only these cases; each must exist. Absent, with no tags: all cases'),
    tags: names.optional().describe('only cases with any of these tags'),
    repairs: z.enum(['none', 'plan']).default('none').describe('plan: also look for verified repairs'),
    max_llm_calls: z
      .int()
      .min(0)
      .optional()
      .describe('most calls of models; the run ends when they are used up'),
    max_tokens: z.int().min(1).optional().describe('most tokens, of prompts and answers together'),
    max_cost: z.number().min(0).optional().describe('most money, by the price table of the configuration'),
    max_seconds: z.number().positive().max(86_400).optional().describe('longest time of the run'),
  }),
  compare: only({
    expected: sql.describe('the expected query'),
    generated: sql.describe('the query to compare with it'),
    dialect: z
      .string()
      .max(40)
      .optional()
      .describe("SQL dialect of both queries, as duckdb; absent: the project's"),
  }),
  why: only({
    case: caseId,
    limit: z.int().min(1).max(50).default(10).describe('how many runs to go back'),
  }),
  plan: only({ run: runId }),
  apply: only({
    run: runId,
    confirm: required()
      .regex(/^[0-9a-f]{16}$/, 'the digest of the plan')
      .describe('the digest that the tool plan returned for this run'),
  }),
  revert: only({
    run: runId,
    repair: repairId.optional(),
    reason: reason
      .optional()
      .describe('why it is not wanted; kept, so that later runs do not propose it again'),
  }),
  reject: only({
    run: runId,
    repair: repairId.optional(),
    reason: reason.min(1).describe('why it is not wanted; kept, so that later runs do not propose it again'),
  }),
  gates: only({
    all: z.boolean().default(false).describe('also those that are answered or have expired'),
  }),
} as const

/** A list is cut where a result would be too long; its last item then says how many are left out. */
const list = <Item extends z.ZodType>(item: Item) => z.array(z.union([item, z.string()]))
const result = <Data extends z.ZodType>(data: Data) =>
  z.object({
    note: z.string().describe('what the data must not be taken for'),
    data: z.union([data, z.string()]).describe('the result; a text where it is too large to be shown'),
  })
const shownCase = z.looseObject({ id: z.string(), outcome: z.string() })
const repair = z.looseObject({ id: z.string(), title: z.string() })

/** What each tool returns, beside errors. */
export const toolResults = {
  list_cases: result(
    z.object({
      total: z.int().describe('cases that match, of which one page is returned'),
      cases: list(z.looseObject({ id: z.string(), question: z.string(), file: z.string(), line: z.int() })),
    }),
  ),
  show_case: result(
    z.looseObject({
      run: z.string(),
      outcome: z.string(),
      expectedSql: z.string().optional(),
      sql: z.string().optional().describe("the agent's query"),
      rerun: z.string(),
    }),
  ),
  run: result(
    z.looseObject({
      run: z.string(),
      exitCode: z.int(),
      summary: z.looseObject({ total: z.int(), passed: z.int(), failed: z.int() }),
      failing: list(shownCase),
      repairs: list(repair),
    }),
  ),
  compare: result(z.looseObject({ verdict: z.string(), reason: z.string() })),
  why: result(z.object({ case: z.string(), history: z.string() })),
  plan: result(z.object({ run: z.string(), digest: z.string(), repairs: list(repair) })),
  apply: result(z.looseObject({ run: z.string(), undo: z.string() })),
  revert: result(z.object({ reverted: list(repair), nothing: z.string().optional() })),
  reject: result(z.object({ rejected: list(z.looseObject({})), stillWritten: list(repair) })),
  gates: result(
    z.object({
      gates: list(z.looseObject({ id: z.string(), question: z.string(), answerWith: z.string() })),
    }),
  ),
} as const
