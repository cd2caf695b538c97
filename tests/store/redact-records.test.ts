import { describe, expect, it } from 'vitest'
import { redactCase, redactTexts } from '../../src/store/redact-records.js'
import { createRedactor } from '../../src/text/secrets.js'
import { failingCase } from '../report/fixtures.js'

describe('what is stored', () => {
  it('reaches every text of a case but ids and fixed words', () => {
    const secret = 'mismatch'
    const clean = createRedactor({ THE_PASSWORD: secret })
    const record = redactCase({ ...failingCase, caseId: secret, cause: `a ${secret}` }, clean)
    expect(record.caseId).toBe(secret)
    expect(record.cause).toBe('a ***')
    expect(record.sample.results?.kind).toBe('mismatch')
  })

  it('keeps numbers beyond 2^53 within plain data', () => {
    expect(redactTexts({ cells: [1n, 'password1'] }, createRedactor({ A_KEY: 'password1' }))).toEqual({
      cells: [1n, '***'],
    })
  })
})
