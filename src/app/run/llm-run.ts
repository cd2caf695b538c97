import { setImmediate as immediate } from 'node:timers/promises'
import type { JudgementStore } from '../../compare/judge/judge.js'
import type { Role } from '../../enums/role.js'
import type { Budget } from '../../llm/budget.js'
import type { BudgetAmount } from '../../llm/budget-amount.js'
import type { Estimate } from '../../llm/llm-interface.js'
import type { EndpointFactStore } from '../../llm/openai/endpoint-memory.js'
import type { Completion } from '../../llm/provider.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RunStore } from '../../store/store.js'
import { needsLlm, selectRepairers, usesJudge } from '../models/llm-requirements.js'
import { redactionWarnings } from '../models/redaction-warnings.js'
import type { AskCount, ExecuteRequest, LlmRun } from './run-state.js'

function describeAsks({ cases, times }: AskCount): string {
  return `${cases === 1 ? '1 case' : `${cases} cases`} ${times === 1 ? 'once' : `${times} times`}`
}

/** Opens the models of a run, which are loaded only if some part of the run uses one. */
export async function openLlmRun(request: ExecuteRequest, snapshot: Snapshot): Promise<LlmRun | undefined> {
  const { project, store, resume, env, record, replay, listener } = request
  const { config } = project
  if (!needsLlm(config, request.mode !== 'evaluate', request)) return undefined
  const note = (text: string): void => listener({ kind: 'note', text })
  for (const text of redactionWarnings(snapshot, project.selected, env)) note(text)
  const { composeLlm } = await import('../models/compose-llm.js')
  let runId = resume?.id
  const running = (): string => {
    if (runId === undefined) throw new Error('a model was called before the run began')
    return runId
  }
  const parts = composeLlm({
    config,
    snapshot,
    env,
    record,
    replay,
    already: resume === undefined ? new Map() : spentBefore(store, resume.id),
    known: resume === undefined ? new Map() : answeredBefore(store, resume.id),
    // A recording is complete in itself, and a replay uses nothing else.
    judgements: record === undefined && replay === undefined ? judgementsOf(store, running) : undefined,
    endpointFacts: replay === undefined ? endpointFactsOf(store, request.now) : undefined,
    async onCall(call) {
      const ending = store.recordLlmCall(running(), call)
      // A replay can be repeated at no cost.
      if (replay === undefined) await store.whenDurable()
      return async (ended) => {
        ending(ended)
        if (replay !== undefined) return
        store.saveNow()
        // Answers that arrived in the meantime are saved before this one is used.
        await immediate()
      }
    },
    onWait: (text) => listener({ kind: 'waiting', text }),
    onCalling: (text) => listener({ kind: 'calling', text }),
    onNote: note,
  })
  if (request.mode !== 'evaluate' && selectRepairers(config, request).includes('llm')) {
    // Its problems are reported before the benchmark costs anything.
    const { definition } = config.llm.roles.repairer
    parts.definitionOf(definition, await request.domain.repairerExample())
    await parts.modelOf('repairer', definition)
  }
  const { budget } = parts
  const unanswered = ({ cases, times }: AskCount, answered: number): number =>
    Math.max(cases * times - answered, 0)
  const needed = (asks: AskCount, answered: number): string | undefined => {
    // What an answer took so far is what the others will take: advice that counts one call for each of them would be
    // too small again the next time.
    const each = answered === 0 ? 1 : Math.max(1, budget.spent('sql').calls / answered)
    const enough = budget.requiredLimit('sql', 'calls', Math.ceil(unanswered(asks, answered) * each))
    if (enough === undefined) return undefined
    const most = Math.ceil(enough - 1e-9)
    const share = budget.limits.shares?.sql ?? 1
    const whose = share < 1 ? `, of which the role sql may use ${share}` : ''
    const judging = usesJudge(config) ? ', plus two for each case that the judge decides' : ''
    const amount =
      each > 1
        ? `about ${Math.ceil(asks.cases * asks.times * each)} calls, as an answer takes ${each.toFixed(1)} so far`
        : `at least ${asks.cases * asks.times} calls`
    return `asking ${describeAsks(asks)} needs ${amount}: --max-llm-calls ${most}${whose}${judging}`
  }
  return {
    parts,
    begin(id) {
      runId = id
    },
    noteCallBudget(asks, answered, repair) {
      const limit = budget.limits.calls ?? 0
      const words = needed(asks, answered)
      if (words !== undefined) {
        note(`the budget of ${limit} LLM calls does not cover all cases; ${words}`)
        return
      }
      const most = budget.spent().calls + unanswered(asks, answered) + (repair ?? 0)
      if (budget.limits.calls === undefined || repair === undefined || most <= limit) return
      note(
        `the budget of ${limit} LLM calls covers asking ${describeAsks(asks)}, but no repair: one needs at least ${repair} more (--max-llm-calls ${most})`,
      )
    },
    async noteSizeBudget(estimates) {
      const { tokens, cost } = budget.limits
      if (tokens === undefined && cost === undefined) return
      for (const words of describeSizeShortfalls(await estimates(), budget)) note(words)
    },
    requiredCallBudget: needed,
  }
}

/** Returns the required value of each limit that is too low. Equal prompts are asked once. */
function describeSizeShortfalls(estimates: readonly (Estimate | undefined)[], budget: Budget): string[] {
  const calls = [
    ...new Map(estimates.flatMap((each) => (each === undefined ? [] : [[each.key, each]]))).values(),
  ]
  const words: string[] = []
  for (const [limit, unit, flag, digits] of sizeLimits) {
    const round = (amount: number): string =>
      (Math.ceil(amount * 10 ** digits - 1e-6) / 10 ** digits).toFixed(digits)
    const probable = calls.reduce((sum, each) => sum + each.probable[limit], 0)
    // Before the last call more is reserved than it takes.
    const spare = Math.max(0, ...calls.map(({ probable: taken, most }) => most[limit] - taken[limit]))
    const enough = budget.requiredLimit('sql', limit, probable + spare)
    if (enough === undefined) continue
    const share = budget.limits.shares?.sql ?? 1
    const whose = share < 1 ? `, of which the role sql may use ${share}` : ''
    words.push(
      `the budget of ${budget.limits[limit]} ${unit} does not cover all cases: ${calls.length} calls need about ${round(probable)} (estimated at 3 characters per token, with answers as long as the expected query), retries and second turns need more, and up to ${round(spare)} more are reserved for each call under way: ${flag} ${round(enough)}${whose}`,
    )
  }
  return words
}

const sizeLimits = [
  ['tokens', 'tokens', '--max-tokens', 0],
  ['cost', 'money', '--max-cost', 4],
] as const

/** Servers are updated: what was learned of one is tried anew after a week. */
const factsLastMs = 7 * 24 * 3600 * 1000

function endpointFactsOf(store: RunStore, now: () => Date): EndpointFactStore {
  return {
    find: (key) => store.endpointFacts(key, new Date(now().getTime() - factsLastMs)),
    keep: (key, facts) => store.recordEndpointFacts(key, now(), facts),
  }
}

function judgementsOf(store: RunStore, running: () => string): JudgementStore {
  return {
    find: (key) => store.judgement(key),
    keep: (key, { answer, reason }, model) =>
      store.recordJudgement(running(), { key, model, answer, reason }),
  }
}

function spentBefore(store: RunStore, runId: string): Map<Role, BudgetAmount> {
  const spent = new Map<Role, BudgetAmount>()
  for (const { role, calls, inputTokens, outputTokens, cost } of store.runDetail(runId)?.llm ?? []) {
    const before = spent.get(role) ?? { calls: 0, tokens: 0, cost: 0 }
    spent.set(role, {
      calls: before.calls + calls,
      tokens: before.tokens + inputTokens + outputTokens,
      cost: before.cost + cost,
    })
  }
  return spent
}

/** Returns answers that were paid for; errors are left out, as their cause may be gone by now. */
function answeredBefore(store: RunStore, runId: string): Map<string, Completion> {
  const known = new Map<string, Completion>()
  for (const { key, completion } of store.llmCompletions(runId)) {
    // Written by this program from a completion, so its shape is trusted.
    const answered = completion as Completion
    if (answered.kind === 'reply' || answered.failure === 'unusable') known.set(key, answered)
  }
  return known
}
