import { z } from 'zod'

/** What happens while agents work that a guideline may ask for. */
export const guidelineEvents = ['test_failure_repeated'] as const
export type GuidelineEvent = (typeof guidelineEvents)[number]

const id = z.string().regex(/^[a-z][a-z0-9-]*$/, 'may only contain a-z, 0-9 and -')
const text = z.string().trim().min(1, 'must not be empty')
const names = z.array(text)

const condition = z.strictObject({
  agents: names.optional().describe('Agents that it is for; absent: all.'),
  domains: names.optional().describe('Domains of the work; absent: all.'),
  actions: names.optional().describe('What the agent is about to do; absent: anything.'),
  events: z.array(z.enum(guidelineEvents)).optional().describe('It holds once one of them has happened.'),
})

const common = { instruction: text }
const toolRestriction = z.strictObject({
  type: z.literal('tool_restriction'),
  ...common,
  tools_allowed: names.default([]),
  tools_denied: names.default([]),
})
const constraint = z.strictObject({
  type: z.literal('constraint'),
  ...common,
  require_tests: z.boolean().default(false),
})
const gate = z.strictObject({
  type: z.literal('hitl_gate'),
  ...common,
  gate_type: text,
  gate_threshold: z.enum(['advisory', 'mandatory']).default('mandatory'),
})

const action = z.discriminatedUnion('type', [toolRestriction, constraint, gate])

/** A rule for agents, as data: whom it is for, and what it allows or asks of them. */
export const guideline = z.strictObject({
  id,
  name: text,
  description: text,
  enabled: z.boolean().default(true),
  category: text,
  priority: z.int().min(0).max(1000),
  condition: condition.default({}),
  action,
})
export type Guideline = z.output<typeof guideline>

/** What changes a guideline that is there: its id, and any of the other keys, nested ones too. */
export const guidelineChange = z.strictObject({
  id,
  name: text.optional(),
  description: text.optional(),
  enabled: z.boolean().optional(),
  category: text.optional(),
  priority: z.int().min(0).max(1000).optional(),
  condition: condition.partial().optional(),
  action: z
    .strictObject({
      instruction: text.optional(),
      tools_allowed: names.optional(),
      tools_denied: names.optional(),
      require_tests: z.boolean().optional(),
      gate_type: text.optional(),
      gate_threshold: z.enum(['advisory', 'mandatory']).optional(),
    })
    .optional(),
})
export type GuidelineChange = z.output<typeof guidelineChange>
