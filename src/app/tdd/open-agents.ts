import type { Config } from '../../config/config.js'
import {
  type ModelAgent,
  modelCoder,
  modelDebugger,
  modelTestWriter,
  taskExamples,
} from '../../domains/tdd/llm-agents.js'
import { rulesAgents } from '../../domains/tdd/rules-agents.js'
import type { TaskAgents } from '../../domains/tdd/task-agents.js'
import type { Role as ModelRole } from '../../enums/role.js'
import type { BudgetAmount } from '../../llm/budget-amount.js'
import type { LlmCall } from '../../llm/llm-interface.js'
import type { Completion } from '../../llm/provider.js'
import { type Role, roleNamed } from '../../roles/role.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RunStore } from '../../store/store.js'
import { llmTurnModel } from '../../subagent/runner/llm-turn-model.js'
import { composeLlm } from '../models/compose-llm.js'
import { withShippedDefinitions } from '../models/shipped-definitions.js'

/** Who plays a role. */
export type Player = 'rules' | 'llm'

export interface OpenAgentsRequest {
  readonly taskId: string
  readonly config: Config
  /** The files of the agents folder. */
  readonly snapshot: Snapshot
  readonly roles: readonly Role[]
  /** Files of the project, relative to it. */
  readonly files: readonly string[]
  readonly players: Readonly<Record<'testWriter' | 'coder' | 'debugger', Player>>
  /** Of the search for a fault without a model. */
  readonly seconds: number
  readonly store: RunStore
  readonly env: Readonly<Record<string, string | undefined>>
  readonly record: string | undefined
  readonly replay: string | undefined
  readonly now: () => Date
  readonly signal: AbortSignal
  readonly onNote: (text: string) => void
  readonly onProgress: (text: string) => void
}

/** Milliseconds for one turn of an agent's work, with all its calls. */
const workTimeoutMs = 15 * 60_000

/** Opens the agents of a task. Throws `agent_invalid` and what a model without a key or an address throws. */
export async function openTaskAgents(request: OpenAgentsRequest): Promise<TaskAgents> {
  const { config, roles, files, players, seconds, store, taskId, env, now, signal } = request
  const rules = rulesAgents(seconds)
  if (Object.values(players).every((player) => player === 'rules')) return rules
  const snapshot = await withShippedDefinitions(request.snapshot, config.agents)
  const before = callsOf(store, taskId)
  const components = composeLlm({
    ...{ config, snapshot, env, record: request.record, replay: request.replay },
    already: spentBy(before),
    known: new Map(before.map(({ key, completion }) => [key, completion])),
    judgements: undefined,
    async onCall() {
      return async (ended) => store.tasks.say(taskId, { kind: 'llm_call', data: ended }, now())
    },
    onWait: request.onProgress,
    onCalling: request.onProgress,
    onNote: request.onNote,
  })
  const open = async (modelRole: ModelRole, name: string): Promise<ModelAgent> => {
    const example = taskExamples[modelRole]
    const file = `${name}.yaml`
    if (example === undefined) throw new Error(`${modelRole} takes no part in a task`)
    const definition = components.definitionOf(file, example)
    const model = await components.modelOf(modelRole, file)
    const { llm } = components
    return {
      role: roleNamed(name, roles),
      definition,
      model: (work) => llmTurnModel({ llm, model, role: modelRole, caseId: `${taskId} ${work}`, sample: 0 }),
    }
  }
  const shared = { snapshot, files, timeoutMs: workTimeoutMs, signal }
  const coder = players.coder === 'llm' ? modelCoder(await open('coder', 'coder'), shared) : rules
  return {
    writeTests:
      players.testWriter === 'llm'
        ? modelTestWriter(await open('test_writer', 'test-writer'), shared)
        : rules.writeTests,
    writeCode: coder.writeCode,
    refactor: coder.refactor,
    diagnose:
      players.debugger === 'llm' ? modelDebugger(await open('debugger', 'debugger'), shared) : rules.diagnose,
  }
}

/** Returns the calls of a task that were answered. */
function callsOf(
  store: RunStore,
  taskId: string,
): readonly (LlmCall & { readonly completion: Completion })[] {
  // Written by this program, so that its shape is trusted.
  return store.tasks
    .messages(taskId)
    .flatMap(({ kind, data }) => (kind === 'llm_call' ? [data as LlmCall] : []))
}

function spentBy(calls: readonly LlmCall[]): Map<ModelRole, BudgetAmount> {
  const spent = new Map<ModelRole, BudgetAmount>()
  for (const { role, usage, cost } of calls) {
    const { calls: made, tokens, cost: paid } = spent.get(role) ?? { calls: 0, tokens: 0, cost: 0 }
    const { inputTokens, outputTokens } = usage
    spent.set(role, { calls: made + 1, tokens: tokens + inputTokens + outputTokens, cost: paid + cost })
  }
  return spent
}
