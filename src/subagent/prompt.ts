import { z } from 'zod'
import type { AnswerReading } from '../llm/llm-interface.js'
import type { ChatMessage, ToolSchema } from '../llm/provider.js'
import { answerProblems } from './answer-problems.js'
import { toolSchemas, toolsByName } from './definition.js'
import { type SubagentDefinition, submitResult } from './definition-types.js'
import { renderTemplate } from './template.js'

/** Returns the first messages to a role. Throws `AutotestError('agent_invalid')` for a missing variable. */
export function renderMessages(
  { systemPrompt, nodeContext, places }: SubagentDefinition,
  variables: Readonly<Record<string, unknown>>,
): ChatMessage[] {
  return [
    { role: 'system', content: renderTemplate(systemPrompt, variables, places.systemPrompt) },
    { role: 'user', content: renderTemplate(nodeContext, variables, places.nodeContext) },
  ]
}

/** Returns the tool whose arguments are the answer. */
export function answerTool(definition: SubagentDefinition): ToolSchema {
  const found = toolSchemas(definition).find((tool) => tool.function.name === submitResult)
  if (found === undefined) throw new Error(`a definition without ${submitResult} was loaded`)
  return found
}

const schemas = new WeakMap<SubagentDefinition, z.ZodType>()

/**
 * Creates a reader that checks an answer against the definition's own schema, then reads what the program
 * needs.
 */
export function createAnswerReader<T>(
  definition: SubagentDefinition,
  needed: z.ZodType<T>,
): (json: Readonly<Record<string, unknown>>) => AnswerReading<T> {
  const schema =
    schemas.get(definition) ?? z.fromJSONSchema(toolsByName(definition).get(submitResult)?.parameters ?? {})
  schemas.set(definition, schema)
  return (json) => {
    const promised = schema.safeParse(json)
    if (!promised.success) return { kind: 'unreadable', message: answerProblems(promised.error) }
    const taken = needed.safeParse(json)
    return taken.success
      ? { kind: 'read', value: taken.data }
      : { kind: 'unreadable', message: answerProblems(taken.error), fitsSchema: true }
  }
}
