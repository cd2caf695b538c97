import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '../../src/agent/agent.js'
import { type BaselineCase, runBaseline } from '../../src/run/baseline.js'
import type { Evaluation } from '../../src/run/evaluate.js'
import { snapshotOf } from '../kb/files.js'
import { evaluatorOf, openShop, revenueId, revenueTh, type Shop, shop, taxId } from '../repair/setting.js'

let warehouse: Shop
beforeAll(async () => {
  warehouse = await openShop()
})
afterAll(() => warehouse.close())

/** Answers what `sql` says for the nth ask, counted over all cases. */
function agentOf(deterministic: boolean, sql: (ask: number, id: string) => string): Agent & { asks: number } {
  const agent = {
    name: 'scripted',
    deterministic,
    asks: 0,
    ask: ({ id }: { id: string }) =>
      Promise.resolve({ kind: 'sql', sql: sql(agent.asks++, id), read: 'all', ms: 1 } as const),
    close: () => Promise.resolve(),
  }
  return agent
}

async function baselineOf(
  agent: Agent | undefined,
  {
    known = new Map<string, Evaluation>(),
    signal = new AbortController().signal,
    onCase = (_: BaselineCase): void => undefined,
    keepPassing = true,
  } = {},
) {
  return runBaseline({
    cases: [revenueId, revenueTh, taxId],
    snapshot: snapshotOf(shop),
    evaluator: evaluatorOf(warehouse, agent),
    concurrency: 2,
    repeats: 2,
    known,
    signal,
    keepPassing,
    onCase,
  })
}

describe('runBaseline', () => {
  it('evaluates every case once and keeps their order', async () => {
    const results = await baselineOf(undefined)
    expect([...results.keys()]).toEqual(['revenue_id', 'revenue_th', 'tax_id'])
    expect(
      [...results.values()].map(({ evaluation, position }) => [evaluation.score.verdict, position]),
    ).toEqual([
      ['pass', 0],
      ['pass', 1],
      ['pass', 2],
    ])
  })

  it('asks failures of an unsure agent again: always wrong is stable', async () => {
    const agent = agentOf(false, () => 'SELECT 1')
    const results = await baselineOf(agent)
    expect([...results.values()].map(({ flaky }) => flaky)).toEqual([false, false, false])
    expect(agent.asks).toBe(9)
  })

  it('tells who answers now right, now wrong', async () => {
    const answers = new Map<string, number>()
    const agent = agentOf(false, (_, id) => {
      answers.set(id, (answers.get(id) ?? 0) + 1)
      return id === 'revenue_id' && answers.get(id) === 3 ? revenueId.expectedSql : 'SELECT 1'
    })
    const results = await baselineOf(agent)
    expect([...results.values()].map(({ flaky }) => flaky)).toEqual([true, false, false])
  })

  it('asks an agent that says it is deterministic once', async () => {
    const agent = agentOf(true, () => 'SELECT 1')
    await baselineOf(agent)
    expect(agent.asks).toBe(3)
  })

  it('does not ask again what an interrupted run knows', async () => {
    const first = await baselineOf(undefined)
    const known = new Map([...first].map(([id, { evaluation }]) => [id, evaluation]))
    const agent = agentOf(false, () => 'SELECT 1')
    const results = await baselineOf(agent, { known })
    expect(agent.asks).toBe(0)
    expect(results.get('tax_id')?.evaluation.score.verdict).toBe('pass')
  })

  it('returns failures only where nothing is to be protected, and tells of every case', async () => {
    const told: string[] = []
    const onCase = ({ evaluation }: BaselineCase): void => void told.push(evaluation.testCase.id)
    const agent = agentOf(true, (_, id) => (id === 'tax_id' ? 'SELECT 1' : revenueId.expectedSql))
    const results = await baselineOf(agent, { keepPassing: false, onCase })
    expect([...results.keys()]).toEqual(['revenue_th', 'tax_id'])
    expect(told.sort()).toEqual(['revenue_id', 'revenue_th', 'tax_id'])
  })

  it('leaves out what an interrupt cut off', async () => {
    const stop = new AbortController()
    const agent = agentOf(true, (ask) => {
      if (ask === 1) stop.abort()
      return 'SELECT 1'
    })
    const told: string[] = []
    const onCase = ({ evaluation }: BaselineCase): void => void told.push(evaluation.testCase.id)
    const results = await baselineOf(agent, { signal: stop.signal, onCase })
    expect([results.size, told]).toEqual([0, []])
  })
})
