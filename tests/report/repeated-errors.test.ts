import { describe, expect, it } from 'vitest'
import { describeAlike, gatherRepeatedErrors } from '../../src/report/repeated-errors.js'
import type { CaseRecord } from '../../src/store/record-types.js'
import { caseRecord } from './fixtures.js'

const errored = (caseId: string, reason: string): CaseRecord => {
  const record = caseRecord(caseId, { outcome: 'errored' })
  return { ...record, sample: { ...record.sample, reason } }
}

describe('errors that repeat', () => {
  it('are with the first one, others stay in their order', () => {
    const records = [errored('a', 'x'), errored('b', 'y'), errored('c', 'x'), errored('d', 'x')]
    const shown = gatherRepeatedErrors(records)
    expect(shown.map(({ record, alike }) => [record.caseId, ...alike.map(({ caseId }) => caseId)])).toEqual([
      ['a', 'c', 'd'],
      ['b'],
    ])
  })

  it('are counted, and three of them named', () => {
    const [first] = gatherRepeatedErrors(['a', 'b', 'c', 'd', 'e'].map((id) => errored(id, 'x')))
    expect(describeAlike(first?.alike ?? [])).toBe('4 more cases had the same error: b, c, d …')
    expect(describeAlike([errored('b', 'x')])).toBe('1 more case had the same error: b')
  })
})
