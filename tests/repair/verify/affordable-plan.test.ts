import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { llmAgent } from '../../../src/agent/llm-agent.js'
import { createLlmProposer } from '../../../src/domains/sql/repair/propose/llm/llm-proposer.js'
import { AutotestError } from '../../../src/errors.js'
import { type BudgetLimits, createBudget } from '../../../src/llm/budget.js'
import { createLlm } from '../../../src/llm/client.js'
import { reserveAsks } from '../../../src/llm/reserve-agent-calls.js'
import {
  contextOf,
  type Repaired,
  repair,
  warehouseForTests,
} from '../../domains/sql/repair/repair-in-memory.js'
import { revenueId, revenueTh, shopWith, taxId } from '../../domains/sql/repair/shop.js'
import { addsMissingFilter, byRole, sqlFromSnippets } from '../../llm/policies.js'
import { policyProvider } from '../../llm/policy-provider.js'
import { modelOf } from '../../llm/test-model.js'

const warehouse = warehouseForTests()

const roles = ['sql', 'repairer'].map((role) => {
  const path = `agents/${role}.yaml`
  return [path, readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')] as const
})
const drifted = {
  ...shopWith({ 'kb/snippets/revenue.sql': ["  AND status = 'paid'\n", ''] }),
  ...Object.fromEntries(roles),
}

interface Run {
  readonly calls: number
  readonly tokens: number
  readonly cost: number
  readonly bySql: number
  /** Undefined where the budget ended before every case was asked. */
  readonly repaired: Repaired | undefined
}

/** Baseline and repair by a model that answers and one that proposes the right edit, or rules, within limits. */
async function runWithin(limits: BudgetLimits, by: 'model' | 'rules' = 'model'): Promise<Run> {
  let bySql = 0
  const sql = policyProvider(sqlFromSnippets)
  const repairer = policyProvider(byRole({ repairer: addsMissingFilter }))
  const budget = createBudget(limits)
  const llm = createLlm({
    budget,
    recordings: undefined,
    redact: (text) => text,
    known: new Map(),
    concurrency: 100,
    onNote: () => undefined,
    onCall: ({ role }) => {
      if (role === 'sql') bySql++
      return () => undefined
    },
    clock: () => performance.now(),
    random: () => 0.5,
    pause: () => Promise.resolve(),
  })
  const signal = new AbortController().signal
  const agent = llmAgent({
    kbFolder: 'kb',
    agentsFolder: 'agents',
    definition: 'sql.yaml',
    llm,
    model: modelOf(sql, { maxTokens: 50 }),
    entries: 6,
    deterministic: false,
    errorTurn: false,
    onNote: () => undefined,
  })
  const proposer = createLlmProposer({
    llm,
    model: modelOf(repairer, { maxTokens: 50 }),
    budget,
    agentsFolder: 'agents',
    definition: 'repairer.yaml',
    showExpected: false,
    callsPerAsk: 1,
    redact: (text) => text,
    context: contextOf(warehouse),
    signal,
  })
  let repaired: Repaired | undefined
  try {
    repaired = await repair(warehouse, drifted, [revenueId, revenueTh, taxId], {
      agent,
      proposer: by === 'model' ? proposer : undefined,
      rules: by === 'rules',
      reserve: (asks) => reserveAsks(asks, { budget, callsPerAsk: 1 }),
      llmCalls: () => budget.spent().calls,
    })
  } catch (error) {
    if (!(error instanceof AutotestError) || error.code !== 'budget_exhausted') throw error
  }
  const { tokens, cost } = budget.spent()
  return { calls: sql.asked + repairer.asked, tokens, cost, bySql, repaired }
}

/** What is applied was verified as a whole: nothing else is ever taken over. */
function expectVerified({ repaired }: Run): boolean {
  if (repaired === undefined) return false
  const { result, before } = repaired
  if (result.accepted.length === 0) {
    expect(result.snapshot.hash).toBe(before.hash)
    return false
  }
  for (const { attempt } of result.accepted) {
    const { evidence } = attempt
    expect(evidence?.target).toEqual({ passed: 1, of: 1 })
    expect(evidence?.twins).toEqual({ passed: 4, of: 4 })
    expect(evidence?.heldOut).toEqual({ passed: 1, of: 1 })
    expect(evidence?.benchmark).toEqual({ before: 1, after: 3, of: 3 })
    expect(evidence?.broken).toEqual([])
  }
  return true
}

describe('every budget', () => {
  it('of calls is not exceeded, nothing unverified is applied, and a larger one never repairs less', async () => {
    const free = await runWithin({})
    expect(expectVerified(free)).toBe(true)
    const applied: boolean[] = []
    for (let most = 0; most <= free.calls + 2; most++) {
      const run = await runWithin({ calls: most })
      expect(run.calls, `calls of ${most}`).toBeLessThanOrEqual(most)
      applied.push(expectVerified(run))
    }
    expect(applied).toEqual([...applied].sort((a, b) => Number(a) - Number(b)))
    // What a repair takes is set aside in whole, and not more than is used.
    expect(applied.indexOf(true)).toBe(free.calls)
  })

  it('of calls begins no plan of the rules that it cannot verify', async () => {
    const free = await runWithin({}, 'rules')
    expect(free.repaired?.result.accepted).toHaveLength(1)
    // Two failures of three cases are asked three times.
    const baseline = 3 + 2 * 2
    const applied: boolean[] = []
    for (let most = baseline; most <= free.calls + 2; most++) {
      const run = await runWithin({ calls: most }, 'rules')
      expect(run.calls, `calls of ${most}`).toBeLessThanOrEqual(most)
      const isApplied = (run.repaired?.result.accepted.length ?? 0) > 0
      if (!isApplied)
        expect([run.calls, run.repaired?.result.abortedBy?.code]).toEqual([baseline, 'budget_exhausted'])
      applied.push(isApplied)
    }
    expect(applied.indexOf(true)).toBe(free.calls - baseline)
    expect(applied).toEqual([...applied].sort((a, b) => Number(a) - Number(b)))
  })

  it('of tokens or money is not exceeded', async () => {
    const free = await runWithin({})
    for (let part = 0; part <= 10; part++) {
      const tokens = Math.floor((free.tokens * part) / 8)
      const byTokens = await runWithin({ tokens })
      expect(byTokens.tokens).toBeLessThanOrEqual(tokens)
      expectVerified(byTokens)
      const cost = (free.cost * part) / 8
      const byCost = await runWithin({ cost })
      expect(byCost.cost).toBeLessThanOrEqual(cost + 1e-9)
      expectVerified(byCost)
    }
  })

  it('leaves each role its share', async () => {
    const free = await runWithin({})
    for (let percent = 5; percent <= 100; percent += 5) {
      const calls = 2 * free.calls
      const run = await runWithin({ calls, shares: { sql: percent / 100 } })
      expect(run.bySql).toBeLessThanOrEqual((calls * percent) / 100)
      const applied = expectVerified(run)
      // A plan that the share cannot verify is not asked for.
      if (!applied) expect(run.calls - run.bySql).toBe(0)
    }
  })
})
