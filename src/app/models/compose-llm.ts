import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JudgementStore } from '../../compare/judge/judge.js'
import type { Config } from '../../config/config.js'
import type { Role } from '../../enums/role.js'
import { AutotestError, messageOf } from '../../errors.js'
import { type Budget, createBudget } from '../../llm/budget.js'
import type { BudgetAmount } from '../../llm/budget-amount.js'
import { createCallProgress } from '../../llm/call-progress.js'
import { createLlm, type LlmOptions } from '../../llm/client.js'
import type { Llm, RoleModel } from '../../llm/llm-interface.js'
import { openModel } from '../../llm/open-model.js'
import { createEndpointMemories, type EndpointFactStore } from '../../llm/openai/endpoint-memory.js'
import type { Completion } from '../../llm/provider.js'
import { createRecorder, createReplayer } from '../../llm/recordings.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { loadDefinition, modelReference } from '../../subagent/definition.js'
import type { SubagentDefinition } from '../../subagent/definition-types.js'
import { checkRole, type RoleExample } from '../../subagent/role-check.js'
import { createRedactor } from '../../text/secrets.js'

/** Every model of a run. */
export interface LlmComponents {
  readonly llm: Llm
  readonly budget: Budget
  /** Judgements of earlier runs; absent if only recordings may be used. */
  readonly judgements: JudgementStore | undefined
  /** Returns the model of a role, which its definition may name. */
  modelOf(role: Role, definition: string): Promise<RoleModel>
  /**
   * Returns a definition from the initial snapshot that suits the role; else throws `AGENT_001` or
   * `agent_invalid`.
   */
  definitionOf(path: string, role: RoleExample): SubagentDefinition
}

export interface LlmComponentsOptions {
  readonly config: Config
  readonly snapshot: Snapshot
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute folders of recordings. */
  readonly record: string | undefined
  readonly replay: string | undefined
  /** The spending and answers of the run that is resumed. */
  readonly already: ReadonlyMap<Role, BudgetAmount>
  readonly known: ReadonlyMap<string, Completion>
  readonly judgements: JudgementStore | undefined
  /** Facts of earlier runs; absent: each run learns them anew. */
  readonly endpointFacts?: EndpointFactStore | undefined
  readonly onCall: LlmOptions['onCall']
  /** Called with the reason for waiting and its remaining time; with an empty text once it is over. */
  readonly onWait: (text: string) => void
  /** Called each second with the call that is waited for; with an empty text once none is. */
  readonly onCalling: (text: string) => void
  /** Called with settings that a model does not support. */
  readonly onNote: (text: string) => void
}

export function composeLlm(options: LlmComponentsOptions): LlmComponents {
  const { config, snapshot, env, record, replay } = options
  const { calls, tokens, cost, shares } = config.budget
  const budget = createBudget({ calls, tokens, cost, shares }, options.already)
  const recordings =
    replay !== undefined ? createReplayer(replay) : record !== undefined ? createRecorder(record) : undefined
  const redact = createRedactor(env)
  const llm = createLlm({
    budget,
    recordings,
    redact,
    known: options.known,
    concurrency: config.limits.concurrency,
    onNote: options.onNote,
    onCall: options.onCall,
    progress: createCallProgress({
      onProgress: options.onCalling,
      made: budget.spent().calls,
      most: calls,
      clock: () => performance.now(),
    }),
    clock: () => performance.now(),
    random: Math.random,
    pause: (ms, why, signal) => countdown(ms, why, signal, options.onWait),
  })
  const models = new Map<string, Promise<RoleModel>>()
  const memories = createEndpointMemories(options.endpointFacts)
  return {
    llm,
    budget,
    judgements: options.judgements,
    definitionOf(path, role) {
      const { definition } = loadDefinition(snapshot, config.agents, path)
      checkRole(definition, role)
      return definition
    },
    modelOf(role, definition) {
      const key = `${role}\0${definition}`
      const opening =
        models.get(key) ??
        openModel(role, namedModel(config, role, definition, snapshot), {
          config,
          env,
          readFile: (path) => readProjectFile(config.root, path),
          replayed: replay !== undefined,
          redact,
          memories,
          onNote: options.onNote,
        })
      models.set(key, opening)
      return opening
    },
  }
}

/** Returns the model that is configured for a role, else the one that its definition names. */
export function namedModel({ llm, agents }: Config, role: Role, definition: string, snapshot: Snapshot) {
  const named = llm.roles[role].model
  const reference =
    named === undefined
      ? loadDefinition(snapshot, agents, definition).definition.model
      : modelReference(named, agents)
  // Weights are served by a local server, which knows them by the name of their file.
  return reference.kind === 'endpoint'
    ? reference
    : { provider: 'openai' as const, model: reference.path.slice(reference.path.lastIndexOf('/') + 1) }
}

/** Returns the bytes of a file of replies. */
export async function readProjectFile(root: string, path: string): Promise<Uint8Array> {
  try {
    return await readRegularFile(resolve(root, path))
  } catch (error) {
    throw new AutotestError('config_invalid', `model scripted:${path} cannot be read: ${messageOf(error)}`, {
      hint: 'Set it to a file of replies, relative to the project root.',
      cause: error,
    })
  }
}

async function countdown(
  ms: number,
  why: string,
  signal: AbortSignal,
  onWait: (text: string) => void,
): Promise<void> {
  const end = performance.now() + ms
  for (let left = ms; left > 0; left = end - performance.now()) {
    if (ms > 1000) onWait(`waiting ${Math.ceil(left / 1000)} s: ${why}`)
    await sleep(Math.min(1000, left), undefined, { signal })
  }
  if (ms > 1000) onWait('')
}
