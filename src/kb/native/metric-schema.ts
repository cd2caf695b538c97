import { z } from 'zod'
import { nearest } from '../../text/nearest-word.js'
import type { Parameter } from '../entry.js'
import { expressionProblem } from '../quoted-regions.js'
import { isParameterName } from '../render-snippet.js'

/** The content of a metric file, before it is checked against other files. */
export type MetricDefinition = z.output<typeof strictMetric>

/** Unknown keys are problems. */
export const strictMetric = metricSchema(z.strictObject)

/** Unknown keys are accepted: they belong to the user. */
export const lenientMetric = metricSchema(z.object)

function metricSchema(
  object: <T extends z.core.$ZodLooseShape>(shape: T) => z.ZodObject<z.util.Writeable<T>>,
) {
  const text = z.string().refine((value) => value.trim() !== '', 'must not be empty')
  const words = z
    .array(text)
    .nullish()
    .transform((list): readonly string[] => list ?? [])

  const enumValues = z.union([
    z.array(text).transform((codes) => new Map(codes.map((code): [string, readonly string[]] => [code, []]))),
    z.record(z.string(), words).transform((values) => new Map(Object.entries(values))),
  ])
  const expression = z.string().superRefine((sql, context) => {
    const problem = expressionProblem(sql)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
  const choiceValues = z
    .record(z.string(), object({ sql: expression, aliases: words }))
    .transform((values) => new Map(Object.entries(values)))

  const parameter = z.discriminatedUnion(
    'type',
    [
      object({ type: z.literal('enum'), values: enumValues, default: z.string().optional() }),
      object({ type: z.literal('date_range') }),
      object({
        type: z.literal('number'),
        words: words.transform((list) => (list.length > 0 ? list : ['top'])),
        integer: z.boolean().default(true),
        default: z.number().optional(),
      }),
      object({ type: z.literal('choice'), values: choiceValues, default: z.string().optional() }),
    ],
    { error: 'must be one of enum, date_range, number, choice' },
  )

  return object({
    metric: text,
    title: text.optional(),
    aliases: words,
    snippet: text,
    repair: z.literal('never', { error: 'must be never, or be left out' }).optional(),
    parameters: z
      .record(z.string(), parameter.superRefine(checkDefault))
      .nullish()
      .transform((map): ReadonlyMap<string, Parameter> => new Map(Object.entries(map ?? {})))
      .superRefine(checkNames),
  })
}

function checkDefault(parameter: Parameter, context: z.RefinementCtx): void {
  if (parameter.type === 'date_range' || parameter.default === undefined) return
  if (parameter.type === 'number') {
    if (parameter.integer && !Number.isInteger(parameter.default))
      context.addIssue({ code: 'custom', path: ['default'], message: 'must be a whole number' })
    return
  }
  // If one of them has a problem of its own, values are still in the file's form.
  if (!(parameter.values instanceof Map) || parameter.values.has(parameter.default)) return
  const guess = nearest(parameter.default, parameter.values.keys())
  const suggestion = guess === undefined ? '' : `, did you mean \`${guess}\`?`
  context.addIssue({ code: 'custom', path: ['default'], message: `is not one of the values${suggestion}` })
}

/** Rejects names that cannot be written in a placeholder, and so are unusable. */
function checkNames(parameters: ReadonlyMap<string, Parameter>, context: z.RefinementCtx): void {
  for (const name of parameters.keys()) {
    if (!isParameterName(name))
      context.addIssue({ code: 'custom', path: [name], message: 'may only contain letters, digits and _' })
  }
}
