import { describe, expect, it } from 'vitest'
import { sqlCaseRecorder } from '../../src/domains/sql/case-recorder.js'
import type { SqlEvaluation } from '../../src/domains/sql/repair/model/sql-repair-types.js'
import { baselineRecord, evaluationOf } from '../../src/run/case-records.js'
import { evaluatorOf, warehouseForTests } from '../domains/sql/repair/repair-in-memory.js'
import { caseOf, revenueId, shop, shopWith } from '../domains/sql/repair/shop.js'
import { snapshotOf } from '../kb/knowledge-files.js'

const warehouse = warehouseForTests()

const under = {
  engine: 'sqlite:shop.db',
  dialect: 'sqlite',
  asOf: '2025-12-31',
  policy: 'evidence',
  tolerance: 1e-4,
  fuzz: 5,
  seed: 1,
  agent: 'template',
}
const noStatus = shopWith({ 'kb/snippets/revenue.sql': ["  AND status = 'paid'\n", ''] })

const recordOf = (evaluation: SqlEvaluation) => baselineRecord(evaluation, 3, under, sqlCaseRecorder)

describe('baselineRecord', () => {
  it('holds what was asked, answered and found', async () => {
    const record = recordOf(await evaluatorOf(warehouse).evaluate(revenueId, snapshotOf(noStatus)))
    expect(record).toMatchObject({
      kind: 'sql',
      caseId: 'revenue_id',
      position: 3,
      outcome: 'failed',
      verdict: 'fail',
      baseline: 'fail',
      retries: 0,
      label: undefined,
      sample: {
        kind: 'answer',
        read: ['metric:revenue', 'snippet:revenue.sql'],
        expected: revenueId.expectedSql,
      },
    })
    expect(record.sample.answer).toContain("market = 'ID'")
  })

  it('changes its fingerprint with what decides the answer', async () => {
    const evaluation = await evaluatorOf(warehouse).evaluate(revenueId, snapshotOf(shop))
    const first = recordOf(evaluation).fingerprint
    expect(recordOf(evaluation).fingerprint).toBe(first)
    expect(
      baselineRecord(evaluation, 3, { ...under, asOf: '2025-12-30' }, sqlCaseRecorder).fingerprint,
    ).not.toBe(first)
  })

  it('labels an expected query that fails as a suspect oracle', async () => {
    const broken = caseOf('b', revenueId.question, 'SELECT nothing FROM nowhere')
    const record = recordOf(await evaluatorOf(warehouse).evaluate(broken, snapshotOf(shop)))
    expect(record).toMatchObject({ outcome: 'errored', label: 'suspect_oracle' })
  })

  it('keeps the start of a cell as long as a book', async () => {
    const evaluation = await evaluatorOf(warehouse).evaluate(revenueId, snapshotOf(shop))
    const row = ['x'.repeat(5000)]
    const comparison = {
      match: false,
      expectedRows: 1,
      actualRows: 1,
      columns: ['c'],
      differing: 1,
      differences: [{ kind: 'changed', expected: row, actual: row, cells: [0] } as const],
    }
    const score = { verdict: 'fail', reason: '', results: { kind: 'mismatch', comparison } } as const
    const stored = JSON.stringify(recordOf({ ...evaluation, score }).sample.results)
    expect(stored.length).toBeLessThan(1000)
    expect(stored).toContain('(5000 characters)')
  })
})

describe('evaluationOf', () => {
  it('gives back what a resumed run needs of each kind of answer', async () => {
    const evaluator = evaluatorOf(warehouse)
    const asked = [
      await evaluator.evaluate(revenueId, snapshotOf(noStatus)),
      await evaluator.evaluate(caseOf('n', 'footfall in ID', 'SELECT 1'), snapshotOf(shop)),
      await evaluator.evaluate(
        caseOf('b', revenueId.question, 'SELECT nothing FROM nowhere'),
        snapshotOf(shop),
      ),
    ]
    const agentBroke: SqlEvaluation = {
      testCase: revenueId,
      sample: { kind: 'error', message: 'it broke', ms: 2 },
      score: { verdict: 'error', errorCause: 'agent', reason: 'it broke' },
      ms: 2,
    }
    for (const evaluation of [...asked, agentBroke]) {
      const again = evaluationOf(recordOf(evaluation), evaluation.testCase, sqlCaseRecorder)
      expect(again.sample).toEqual(evaluation.sample)
      expect(again.score.verdict).toBe(evaluation.score.verdict)
      expect(again.score.reason).toBe(evaluation.score.reason)
      expect(again.testCase).toBe(evaluation.testCase)
    }
  })
})
