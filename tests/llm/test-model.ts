import type { Endpoint } from '../../src/config/config.js'
import { type Proposal, proposalSchema } from '../../src/domains/sql/repair/propose/llm/proposal-schema.js'
import { createBudget } from '../../src/llm/budget.js'
import { createLlm, type LlmOptions } from '../../src/llm/client.js'
import type { Llm, LlmAnswer, LlmCall, RoleModel } from '../../src/llm/llm-interface.js'
import { openAiProvider } from '../../src/llm/openai/chat-completions.js'
import { createEndpointMemories } from '../../src/llm/openai/endpoint-memory.js'
import type { Provider, ToolSchema } from '../../src/llm/provider.js'

export const key = 'sk-test-key-4711-do-not-show'

const answerTool: ToolSchema = {
  type: 'function',
  function: {
    name: 'submit_result',
    description: 'The answer.',
    strict: true,
    parameters: { type: 'object', additionalProperties: false, properties: {}, required: [] },
  },
}

const endpoint = {
  settings: 'llm',
  keyEnv: undefined,
  headers: {},
  query: {},
  provider: undefined,
  structured: 'auto',
  stream: 'auto',
} as const

/** @param keyOfServer null: none is sent */
export function openAi(
  baseUrl: string,
  keyOfServer: string | null = key,
  onNote: (text: string) => void = () => undefined,
  more: Partial<Endpoint> = {},
): Provider {
  return openAiProvider({
    settings: 'llm',
    baseUrl,
    key: keyOfServer ?? undefined,
    keyVariable: 'TEST_MODEL_KEY',
    headers: {},
    query: {},
    redact: (text) => text.replaceAll(key, '***'),
    memory: createEndpointMemories().of({ ...endpoint, baseUrl, ...more }, onNote),
  })
}

export function modelOf(provider: Provider, more: Partial<RoleModel> = {}): RoleModel {
  return { provider, model: 'tiny', maxTokens: 1000, timeoutMs: 5000, price: { in: 1, out: 2 }, ...more }
}

export interface TestLlm {
  readonly llm: Llm
  readonly calls: LlmCall[]
  /** Waits that were asked for, in milliseconds; none is waited. */
  readonly waits: number[]
}

export function testLlm(more: Partial<LlmOptions> = {}): TestLlm {
  const calls: LlmCall[] = []
  const waits: number[] = []
  const llm = createLlm({
    budget: createBudget({}),
    recordings: undefined,
    redact: (text) => text,
    known: new Map(),
    concurrency: 100,
    onNote: () => undefined,
    onCall: () => (call) => void calls.push(call),
    clock: () => performance.now(),
    random: () => 0.5,
    pause: async (ms) => void waits.push(ms),
    ...more,
  })
  return { llm, calls, waits }
}

/** A provider whose models are asked with a forced tool first. */
export const toolFirst = (baseUrl: string): Provider =>
  openAi(baseUrl, undefined, undefined, { provider: 'litellm' })

/** Asks for edits, as a proposer does. */
export function askForEdits(
  llm: Llm,
  model: RoleModel,
  content = 'repair it',
  signal?: AbortSignal,
): Promise<LlmAnswer<Proposal>> {
  return llm.ask(
    {
      role: 'repairer',
      caseId: 'gmv_id',
      sample: 0,
      messages: [{ role: 'user', content }],
      answer: answerTool,
      read(json) {
        const found = proposalSchema.safeParse(json)
        return found.success
          ? { kind: 'read', value: found.data }
          : { kind: 'unreadable', message: found.error.issues[0]?.message ?? '' }
      },
      signal,
    },
    model,
  )
}
