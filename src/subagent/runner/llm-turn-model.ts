import { z } from 'zod'
import type { Role } from '../../enums/role.js'
import { AutotestError } from '../../errors.js'
import type { AnswerReading, Llm, RoleModel } from '../../llm/llm-interface.js'
import type { ToolSchema } from '../../llm/provider.js'
import { answerProblems } from '../answer-problems.js'
import type { ModelTurn, TurnModel } from './turn-model.js'

export interface LlmTurnOptions {
  readonly llm: Llm
  readonly model: RoleModel
  readonly role: Role
  readonly caseId: string
  /** Index of the independent answer to the case, from 0. */
  readonly sample: number
}

const turn = z.object({
  text: z.string().nullish(),
  calls: z.array(z.object({ id: z.string().nullish(), name: z.string(), arguments: z.unknown() })),
})

/** Creates a model behind an endpoint, which is asked once for each turn. */
export function llmTurnModel({ llm, model, role, caseId, sample }: LlmTurnOptions): TurnModel {
  return {
    async next({ messages, tools, turn: number }, signal) {
      const answer = await llm.ask<ModelTurn>(
        {
          role,
          caseId,
          sample,
          messages,
          tools,
          answer: turnTool(tools),
          read: (json) => readTurn(json, number),
          signal,
        },
        model,
      )
      switch (answer.kind) {
        case 'answer':
          return answer.value
        case 'unusable':
          return { text: answer.message, calls: [] }
        default:
          throw new AutotestError('agent_failed', answer.message)
      }
    },
  }
}

function readTurn(json: Readonly<Record<string, unknown>>, number: number): AnswerReading<ModelTurn> {
  const read = turn.safeParse(json)
  if (!read.success) return { kind: 'unreadable', message: answerProblems(read.error) }
  const { text, calls } = read.data
  return {
    kind: 'read',
    value: {
      text: text ?? '',
      calls: calls.map(({ id, name, arguments: given }, at) => ({
        id: id ?? `call_${number}_${at}`,
        name,
        arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
      })),
    },
  }
}

/** Returns the schema of a turn, for models that write down what they would call. */
function turnTool(tools: readonly ToolSchema[]): ToolSchema {
  const calls = tools.map(({ function: { name, description, parameters } }) => ({
    type: 'object',
    description,
    additionalProperties: false,
    required: ['name', 'arguments'],
    properties: { name: { type: 'string', enum: [name] }, arguments: parameters },
  }))
  return {
    type: 'function',
    function: {
      name: 'call_tools',
      description: 'The tools to call now, in order.',
      strict: true,
      parameters: {
        type: 'object',
        additionalProperties: false,
        required: ['calls'],
        properties: { calls: { type: 'array', items: { anyOf: calls } } },
      },
    },
  }
}
