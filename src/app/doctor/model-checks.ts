import type { Config } from '../../config/config.js'
import { type Role, roles } from '../../enums/role.js'
import type { RoleModel } from '../../llm/llm-interface.js'
import { openModel } from '../../llm/open-model.js'
import { createEndpointMemories } from '../../llm/openai/endpoint-memory.js'
import type { ChatRequest, Completion } from '../../llm/provider.js'
import { formatDuration, plural } from '../../report/format-text.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { createRedactor } from '../../text/secrets.js'
import { namedModel, readProjectFile } from '../models/compose-llm.js'
import { asksModelForTests, selectRepairers, usesJudge } from '../models/llm-requirements.js'
import { type Check, configurationCheck, type Finding, note, ok, problem, problemFromError } from './check.js'
import type { DoctorEnvironment } from './environment.js'
import { canLoadSqlite } from './load-sqlite.js'

const definitions = configurationCheck('definitions', async (config, { env }) => {
  const needed = roles.filter((role) => needs(config, role, env))
  if (needed.length === 0) return undefined
  // The checks load the search of the knowledge base, which needs SQLite.
  if (!(await canLoadSqlite())) return note('not checked: SQLite cannot be loaded')
  const { checkDefinition } = await import('../models/agent-definition-checks.js')
  const { snapshot } = await loadSnapshot(config.root, [config.agents])
  const warnings = needed.flatMap(
    (role) => checkDefinition(snapshot, config, definitionOf(config, role)).warnings,
  )
  const [first] = warnings
  if (first !== undefined) return note(first, 'autotest agent check')
  return ok(`${config.agents}/: ${needed.map((role) => definitionOf(config, role)).join(', ')}`)
})

/** Creates the check of one role's model. */
function modelCheck(role: Role): Check {
  return configurationCheck(`model ${role.replace('test_', '')}`, async (config, surroundings, signal) => {
    if (!uses(config, role)) return undefined
    const notes: string[] = []
    let model: RoleModel
    try {
      model = await open(role, config, surroundings, (text) => notes.push(text))
    } catch (error) {
      const found = problemFromError(error)
      return needs(config, role, surroundings.env)
        ? found
        : note(`${found.detail}; a run repairs by rules only`, found.fix)
    }
    const { settings, keyEnv } = config.llm.roles[role].endpoint
    const place = `${model.model} at ${model.provider.name}`
    if (model.provider.name.startsWith('scripted:'))
      return ok(`${model.provider.name}: answers from that file`)
    const key = keyEnv === undefined ? `no key (${settings}.key_env)` : `key in ${keyEnv}`
    if (!surroundings.call) return ok(`${place}, ${key}; not called (--call calls it once)`)
    return callFinding(await callOnce(model, role, signal), place, notes)
  })
}

/** Reports whether the configuration names a model for this role. */
function uses(config: Config, role: Role): boolean {
  switch (role) {
    case 'sql':
      return config.agent.kind === 'llm'
    case 'test_writer':
      return asksModelForTests(config)
    case 'judge':
      return usesJudge(config)
    case 'repairer':
      return config.repair.repairers?.includes('llm') ?? config.llm.configured
    case 'coder':
    case 'debugger':
      return config.llm.named.includes(role)
  }
}

/**
 * Reports whether a run fails without the model: a model that may only repair is skipped if it has no key.
 */
function needs(config: Config, role: Role, env: DoctorEnvironment['env']): boolean {
  if (role === 'repairer') return selectRepairers(config, { env, replay: undefined }).includes('llm')
  return uses(config, role)
}

function definitionOf({ agent, llm }: Config, role: Role): string {
  const isAgent =
    (role === 'sql' && agent.kind === 'llm') || (role === 'test_writer' && agent.kind === 'subagent')
  return isAgent ? agent.definition : llm.roles[role].definition
}

/** Opens the model as a run would, which looks for its key and sends no request. */
async function open(
  role: Role,
  config: Config,
  { env }: DoctorEnvironment,
  onNote: (text: string) => void,
): Promise<RoleModel> {
  const { snapshot } = await loadSnapshot(config.root, [config.agents])
  return openModel(role, namedModel(config, role, definitionOf(config, role), snapshot), {
    config,
    env,
    readFile: (path) => readProjectFile(config.root, path),
    replayed: false,
    redact: createRedactor(env),
    memories: createEndpointMemories(),
    onNote,
  })
}

const question: Pick<ChatRequest, 'messages' | 'answer'> = {
  messages: [{ role: 'user', content: 'Call submit_result with ok set to true.' }],
  answer: {
    type: 'function',
    function: {
      name: 'submit_result',
      description: 'Takes the answer.',
      strict: true,
      parameters: {
        type: 'object',
        properties: { ok: { type: 'boolean' } },
        required: ['ok'],
        additionalProperties: false,
      },
    },
  },
}

/** Enough for the answer, and for a model that reasons briefly before it. */
const answerTokens = 256

/** A model without tool support is asked in the other forms, as in a run. */
const maxFormRetries = 5

async function callOnce(
  { provider, model, temperature, seed, maxTokens, extraBody }: RoleModel,
  role: Role,
  signal: AbortSignal,
): Promise<{ readonly completion: Completion; readonly ms: number }> {
  const request = {
    ...question,
    model,
    temperature,
    seed,
    maxTokens: Math.min(maxTokens, answerTokens),
    extraBody,
  }
  for (let attempt = 0; ; attempt++) {
    const started = performance.now()
    const context = { role, caseId: 'doctor', sample: 0, attempt }
    const completion = await provider.complete(request, context, signal)
    const refusesForm = completion.kind === 'failure' && completion.failure === 'form'
    if (!refusesForm || attempt === maxFormRetries) return { completion, ms: performance.now() - started }
  }
}

function callFinding(
  { completion, ms }: Awaited<ReturnType<typeof callOnce>>,
  place: string,
  notes: readonly string[],
): Finding {
  if (completion.kind === 'reply') {
    const { usage } = completion
    const tokens = usage === undefined ? '' : `, ${plural(usage.inputTokens + usage.outputTokens, 'token')}`
    const detail = `${place} answers in ${formatDuration(ms)}${tokens}`
    return notes.length === 0 ? ok(detail) : note(`${detail}; ${notes.join('; ')}`)
  }
  const said = `${place}: ${completion.message}`
  switch (completion.failure) {
    case 'unusable':
      return note(
        `${place} answers in ${formatDuration(ms)}, but in the wrong format: ${completion.message}`,
        completion.hint,
      )
    case 'loading':
      return note(said, completion.hint)
    default:
      return problem(said, completion.hint)
  }
}

export const modelChecks: readonly Check[] = [definitions, ...roles.map(modelCheck)]
