import { z } from 'zod'
import { AutotestError } from '../errors.js'
import { toolsByName } from './definition.js'
import { type SubagentDefinition, submitResult } from './definition-types.js'
import { checkAttributes, checkTemplate, renderTemplate, usesVariable } from './template.js'

/** Example input and output of a role. */
export interface RoleExample {
  readonly variables: Readonly<Record<string, unknown>>
  /** Variables without which a prompt is useless. */
  readonly needed: readonly string[]
  /** Answers that the program needs, each in all equivalent forms. */
  readonly answers: readonly (readonly Readonly<Record<string, unknown>>[])[]
}

/**
 * Checks whether a definition suits a role: its templates can be rendered, with and without entries, and its
 * schema allows the answers that the program needs. Throws `AutotestError('agent_invalid')`.
 */
export function checkRole(definition: SubagentDefinition, { variables, needed, answers }: RoleExample): void {
  const { path, systemPrompt, nodeContext, places } = definition
  const empty = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, Array.isArray(value) ? [] : value]),
  )
  const templates = [
    { text: systemPrompt, place: places.systemPrompt },
    { text: nodeContext, place: places.nodeContext },
  ]
  for (const { text, place } of templates) {
    checkTemplate(text, Object.keys(variables), place)
    checkAttributes(text, variables, place)
    for (const given of [variables, empty]) renderTemplate(text, given, place)
  }
  const unseen = needed.find((name) => !templates.some(({ text, place }) => usesVariable(text, name, place)))
  if (unseen !== undefined) {
    throw new AutotestError('agent_invalid', `${path}: node_context does not show \`${unseen}\``, {
      hint: `Use {{ ${unseen} }} in it: the model cannot answer without it.`,
    })
  }
  const schema = z.fromJSONSchema(toolsByName(definition).get(submitResult)?.parameters ?? {})
  for (const forms of answers) {
    const problem = answerMismatch(schema, forms)
    if (problem === undefined) continue
    throw new AutotestError(
      'agent_invalid',
      `${path}: ${submitResult} does not allow the answer ${problem}`,
      {
        hint: `Its parameters must allow ${JSON.stringify(forms[0])}, or every answer is rejected.`,
      },
    )
  }
}

/** Returns why none of the forms is allowed; undefined if one is, or would be with another text or number. */
function answerMismatch(
  schema: z.ZodType,
  forms: readonly Readonly<Record<string, unknown>>[],
): string | undefined {
  const problems = forms.map((form) => {
    const issues = schema.safeParse(form).error?.issues ?? []
    return issues.find((issue) => concernsForm(issue, form) && isOfShape(issue))
  })
  const [first] = problems
  if (first === undefined || problems.includes(undefined)) return undefined
  return `${JSON.stringify(forms[0])}: ${[first.path.join('.'), first.message].filter((part) => part !== '').join(': ')}`
}

/** Reports whether an issue concerns the form: a model may give any further properties of the definition. */
function concernsForm({ path }: z.core.$ZodIssue, form: Readonly<Record<string, unknown>>): boolean {
  return path.length === 0 || String(path[0]) in form
}

function isOfShape(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_union') return issue.errors.every((branch) => branch.some(isOfShape))
  return ['invalid_type', 'invalid_value', 'unrecognized_keys'].includes(issue.code)
}
