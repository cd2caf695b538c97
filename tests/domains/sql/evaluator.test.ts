import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/agent/agent.js'
import { createExpectedResultsCache } from '../../../src/compare/outcomes/expected-results-cache.js'
import { createSqlEvaluator } from '../../../src/domains/sql/evaluator.js'
import { AutotestError } from '../../../src/errors.js'
import { withoutPassFindings } from '../../../src/run/evaluate-case.js'
import { loadSqlParser } from '../../../src/sql/index.js'
import { snapshotOf } from '../../kb/knowledge-files.js'
import { evaluatorOf, limits, warehouseForTests } from './repair/repair-in-memory.js'
import { revenueId, shop, shopWith } from './repair/shop.js'

const warehouse = warehouseForTests()

const clean = snapshotOf(shop)

function counting(deterministic: boolean, answer: () => Awaited<ReturnType<Agent['ask']>>) {
  const agent = {
    name: 'scripted',
    deterministic,
    asks: 0,
    ask: () => {
      agent.asks++
      return Promise.resolve(answer())
    },
    close: () => Promise.resolve(),
  }
  return agent
}

const right = { kind: 'answer', text: revenueId.expectedSql, read: 'all', ms: 1 } as const

describe('createSqlEvaluator', () => {
  it('asks a deterministic agent once a snapshot, and another one each time', async () => {
    const sure = counting(true, () => right)
    const evaluator = evaluatorOf(warehouse, sure)
    await evaluator.evaluate(revenueId, clean)
    await evaluator.evaluate(revenueId, clean)
    expect(sure.asks).toBe(1)
    await evaluator.evaluate(revenueId, snapshotOf(shopWith({ 'kb/notes/a.md': 'x' })))
    expect(sure.asks).toBe(2)
    const unsure = counting(false, () => right)
    const evaluatorOfUnsure = evaluatorOf(warehouse, unsure)
    await evaluatorOfUnsure.evaluate(revenueId, clean)
    await evaluatorOfUnsure.evaluate(revenueId, clean)
    expect(unsure.asks).toBe(1)
    await evaluatorOfUnsure.evaluateAfresh(revenueId, clean)
    expect(unsure.asks).toBe(2)
  })

  it('does not keep that a deterministic agent broke', async () => {
    const answers = [{ kind: 'error', message: 'out of memory', ms: 1 } as const, right]
    const agent = counting(true, () => answers.shift() ?? right)
    const evaluator = evaluatorOf(warehouse, agent)
    expect((await evaluator.evaluate(revenueId, clean)).score.verdict).toBe('error')
    expect((await evaluator.evaluate(revenueId, clean)).score.verdict).toBe('pass')
  })

  it('asks afresh whatever is kept', async () => {
    const agent = counting(true, () => right)
    const evaluator = evaluatorOf(warehouse, agent)
    await evaluator.evaluate(revenueId, clean)
    await evaluator.evaluateAfresh(revenueId, clean)
    expect(agent.asks).toBe(2)
  })

  it('never takes a kept score for a case of another expected query', async () => {
    const evaluator = evaluatorOf(
      warehouse,
      counting(true, () => right),
    )
    expect((await evaluator.evaluate(revenueId, clean)).score.verdict).toBe('pass')
    const other = { ...revenueId, expectedSql: 'SELECT 1' }
    expect((await evaluator.evaluate(other, clean)).score.verdict).toBe('fail')
  })

  it('keeps the score of an equal answer, but not an error', async () => {
    const evaluator = evaluatorOf(
      warehouse,
      counting(false, () => right),
    )
    const before = await evaluator.evaluate(revenueId, clean)
    const marked = { ...before, score: { ...before.score, reason: 'kept' } }
    expect((await evaluator.evaluate(revenueId, clean, undefined, marked)).score.reason).toBe('kept')
    const failed = { ...before, score: { verdict: 'error', reason: 'kept' } as const }
    expect((await evaluator.evaluate(revenueId, clean, undefined, failed)).score.verdict).toBe('pass')
  })

  it('counts an engine that cannot be opened as infrastructure, of this case only', async () => {
    const evaluator = createSqlEvaluator({
      agent: counting(true, () => right),
      agentDialect: 'sqlite',
      engineOf: (testCase) =>
        testCase.engine === undefined
          ? Promise.resolve(warehouse.engine)
          : Promise.reject(new AutotestError('engine_unavailable', 'no such file')),
      limits,
      defaults: { policy: 'evidence', tolerance: 1e-4 },
      asOf: '2025-12-31',
      loadParser: loadSqlParser,
      expectedResults: createExpectedResultsCache(),
      clock: () => 0,
    })
    const elsewhere = await evaluator.evaluate({ ...revenueId, engine: 'sqlite:gone.db' }, clean)
    expect(elsewhere.score).toMatchObject({ verdict: 'error', errorCause: 'engine', reason: 'no such file' })
    expect((await evaluator.evaluate(revenueId, clean)).score.verdict).toBe('pass')
  })

  it('fails an abstention, with its message', async () => {
    const agent = counting(true, () => ({ kind: 'no_answer', message: 'which market?', read: [], ms: 1 }))
    const { score } = await evaluatorOf(warehouse, agent).evaluate(revenueId, clean)
    expect(score.verdict).toBe('fail')
    expect(score.reason).toContain('which market?')
  })

  it('uses a case’s own date, else the configured one', () => {
    const evaluator = evaluatorOf(warehouse)
    expect([evaluator.asOf(revenueId), evaluator.asOf({ ...revenueId, asOf: '2024-02-29' })]).toEqual([
      '2025-12-31',
      '2024-02-29',
    ])
  })
})

describe('withoutPassFindings', () => {
  it('drops the findings of a pass and keeps those of a failure', async () => {
    const pass = await evaluatorOf(warehouse).evaluate(revenueId, clean)
    expect(withoutPassFindings(pass).score).toEqual({
      verdict: 'pass',
      by: pass.score.by,
      reason: pass.score.reason,
    })
    const fail = { ...pass, score: { ...pass.score, verdict: 'fail' as const } }
    expect(withoutPassFindings(fail)).toBe(fail)
  })
})
