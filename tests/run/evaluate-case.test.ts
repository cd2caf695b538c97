import { describe, expect, it } from 'vitest'
import type { BenchmarkCase } from '../../src/benchmark/case.js'
import type { Sample } from '../../src/contracts/agent-answer.js'
import type { CaseRunner } from '../../src/contracts/case-runner.js'
import type { DomainTypes } from '../../src/contracts/domain-types.js'
import type { Score } from '../../src/contracts/score.js'
import { createEvaluator } from '../../src/run/evaluate-case.js'
import { snapshotOf } from '../kb/knowledge-files.js'

const testCase: BenchmarkCase = {
  kind: 'any',
  id: 'a',
  question: 'how many?',
  tags: [],
  location: { file: 'b.yaml', line: 1, column: 1 },
}
const knowledge = snapshotOf({ 'kb/a.md': 'one' })
const seven = { kind: 'answer', text: '7', read: 'all', ms: 1 } as const

/** Answers every case, and passes the answer 7; counts what it is asked. */
function scripted(more: Partial<CaseRunner<DomainTypes>> = {}, answers: readonly Sample[] = []) {
  const left = [...answers]
  const asked: number[] = []
  const scored: { readonly text: string; readonly isJudged: boolean }[] = []
  const runner: CaseRunner<DomainTypes> = {
    agent: { name: 'scripted', deterministic: true },
    hasJudge: false,
    async ask(_case, _snapshot, number) {
      asked.push(number)
      return left.shift() ?? seven
    },
    async score(_case, sample, isJudged): Promise<Score> {
      if (sample.kind !== 'answer') return { verdict: 'error', errorCause: 'agent', reason: sample.message }
      scored.push({ text: sample.text, isJudged })
      return { verdict: sample.text === '7' ? 'pass' : 'fail', reason: sample.text }
    },
    scoringKey: ({ id }) => id,
    ...more,
  }
  return { evaluator: createEvaluator(runner, () => 0), asked, scored }
}

describe('createEvaluator', () => {
  it('asks once a snapshot and scores an equal answer once', async () => {
    const { evaluator, asked, scored } = scripted()
    await evaluator.evaluate(testCase, knowledge)
    await evaluator.evaluate(testCase, knowledge)
    expect(asked).toEqual([0])
    await evaluator.evaluate(testCase, snapshotOf({ 'kb/a.md': 'two' }))
    expect(asked).toEqual([0, 0])
    expect(scored).toHaveLength(1)
  })

  it('asks again after the agent broke', async () => {
    const { evaluator } = scripted({}, [{ kind: 'error', message: 'out of memory', ms: 1 }])
    expect((await evaluator.evaluate(testCase, knowledge)).score.verdict).toBe('error')
    expect((await evaluator.evaluate(testCase, knowledge)).score.verdict).toBe('pass')
  })

  it('scores an equal answer again after its score was an error', async () => {
    const scores: Score[] = [{ verdict: 'error', errorCause: 'engine', reason: 'no connection' }]
    const { evaluator } = scripted({
      score: async () => scores.shift() ?? { verdict: 'pass', reason: '' },
    })
    expect((await evaluator.evaluate(testCase, knowledge)).score.verdict).toBe('error')
    expect((await evaluator.evaluate(testCase, knowledge)).score.verdict).toBe('pass')
  })

  it('numbers the independent answers on a snapshot, behind those of an earlier run', async () => {
    const { evaluator, asked } = scripted()
    await evaluator.evaluateAfresh(testCase, knowledge)
    await evaluator.evaluateAfresh(testCase, knowledge, undefined, 3)
    evaluator.noteAsked(testCase, knowledge, 5)
    await evaluator.evaluateAfresh(testCase, knowledge)
    await evaluator.evaluateAfresh(testCase, snapshotOf({ 'kb/a.md': 'two' }))
    expect(asked).toEqual([1, 3, 6, 1])
  })

  it('asks afresh whatever is kept', async () => {
    const { evaluator, asked } = scripted()
    await evaluator.evaluate(testCase, knowledge)
    await evaluator.evaluateAfresh(testCase, knowledge)
    expect(asked).toEqual([0, 1])
  })

  it('uses neither answer nor score of a case with another scoring key', async () => {
    const { evaluator, asked, scored } = scripted()
    await evaluator.evaluate(testCase, knowledge)
    await evaluator.evaluate({ ...testCase, id: 'b' }, knowledge)
    expect([asked.length, scored.length]).toEqual([2, 2])
  })

  it('keeps the score of an answer equal to the previous one, except an error', async () => {
    const { evaluator } = scripted()
    const before = { testCase, sample: seven, score: { verdict: 'fail', reason: 'kept' }, ms: 0 } as const
    expect((await evaluator.evaluate(testCase, knowledge, undefined, before)).score.reason).toBe('kept')
    const failed = { ...before, score: { verdict: 'error', reason: 'kept' } } as const
    expect((await evaluator.evaluate(testCase, knowledge, undefined, failed)).score.verdict).toBe('pass')
  })

  it('keeps what scores without a judge apart, where there is one', async () => {
    const judged = scripted({ hasJudge: true })
    await judged.evaluator.scoreUnjudged(testCase, '7')
    await judged.evaluator.scoreAnswer(testCase, '7')
    await judged.evaluator.scoreAnswer(testCase, '7')
    expect(judged.scored.map(({ isJudged }) => isJudged)).toEqual([false, true])
    const unjudged = scripted()
    await unjudged.evaluator.scoreUnjudged(testCase, '7')
    await unjudged.evaluator.scoreAnswer(testCase, '7')
    expect(unjudged.scored).toHaveLength(1)
  })
})
