import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../src/benchmark/case.js'
import { applyJudgement, needsJudge } from '../../../src/compare/judge/judge.js'
import { createLlmJudge } from '../../../src/compare/judge/llm-judge.js'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { parseScript, scriptedProvider } from '../../../src/llm/scripted-provider.js'
import { loadSqlParser } from '../../../src/sql/index.js'
import { loadDefinition } from '../../../src/subagent/definition.js'
import { snapshotOf } from '../../contracts/agent.contract.js'
import { modelOf, testLlm } from '../../llm/test-model.js'

const judgeFile = readFileSync(new URL('../../../agents/judge.yaml', import.meta.url), 'utf8')
const { definition } = loadDefinition(snapshotOf({ 'agents/judge.yaml': judgeFile }), 'agents', 'judge.yaml')

const [a, b] = ['SELECT count(*) FROM t', 'SELECT count(id) FROM t']

function judgeOf(replies: string) {
  const script = parseScript(new TextEncoder().encode(`replies:\n${replies}`), 'script.yaml')
  const { llm, calls } = testLlm()
  const model = modelOf(scriptedProvider(script, 'scripted'))
  return { calls, judge: createLlmJudge({ llm, model, definition, loadParser: loadSqlParser }) }
}

const pair = {
  testCase: { id: 'c', question: 'how many?' } as SqlCase,
  expected: a,
  generated: b,
  dialect: 'sqlite',
  engine: { catalogue: async () => ({ tables: [] }) } as unknown as Engine,
  differences: 'count',
} as const

const vote = (order: string, answer: string): string =>
  `  - { when: ["# First query\\n${order}"], answer: { answer: ${answer}, reason: said } }\n`

describe('a judge', () => {
  it('counts where two votes in swapped order agree, and is not asked twice', async () => {
    const { judge, calls } = judgeOf(vote(a, 'equivalent') + vote(b, 'equivalent'))
    expect(await judge.decide(pair)).toEqual({ answer: 'equivalent', reason: 'said' })
    await judge.decide({ ...pair, testCase: { ...pair.testCase, id: 'other' }, generated: `${b} ` })
    expect(calls).toHaveLength(2)
  })

  it('is not sure where they do not agree', async () => {
    const { judge } = judgeOf(vote(a, 'equivalent') + vote(b, 'not'))
    expect(await judge.decide(pair)).toMatchObject({ answer: 'unsure' })
  })

  it('is not sure where its answer cannot be parsed', async () => {
    const { judge } = judgeOf('  - { text: "yes, they are the same" }\n')
    expect(await judge.decide(pair)).toMatchObject({ answer: 'unsure' })
  })
})

describe('cases that are given to a judge', () => {
  const comparison = {
    match: true,
    expectedRows: 1,
    actualRows: 1,
    columns: [],
    differing: 0,
    differences: [],
  }
  const unproven = { verdict: 'unproven' } as const

  it('rows that match and prove nothing; never rows that differ', () => {
    expect(needsJudge(unproven, { kind: 'match', comparison, empty: true }, 'evidence')).toBe(true)
    expect(needsJudge({ verdict: 'fail' }, { kind: 'mismatch', comparison }, 'evidence')).toBe(false)
    expect(needsJudge(unproven, { kind: 'mismatch', comparison }, 'evidence')).toBe(false)
    expect(needsJudge(unproven, { kind: 'match', comparison, empty: false }, 'both')).toBe(false)
  })

  it('passes, fails or stays as it was', () => {
    const verdicts = (['equivalent', 'not', 'unsure'] as const).map(
      (answer) => applyJudgement(unproven, { answer, reason: '' }).verdict,
    )
    expect(verdicts).toEqual(['pass', 'fail', 'unproven'])
  })
})
