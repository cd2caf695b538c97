import { describe, expect, it } from 'vitest'
import { isReset, pauseBefore } from '../../../src/platform/http-retry.js'

describe('retries', () => {
  it('wait longer each time, as long as the service asks, and never longer than 5 s', () => {
    const now = Date.parse('2025-11-01T00:00:00Z')
    expect([2, 3, 4].map((next) => pauseBefore(next, null, now))).toEqual([200, 400, 800])
    expect(pauseBefore(2, '1', now)).toBe(1000)
    expect(pauseBefore(2, 'Sat, 01 Nov 2025 00:00:02 GMT', now)).toBe(2000)
    expect(pauseBefore(2, '3600', now)).toBe(5000)
    expect(pauseBefore(2, 'soon', now)).toBe(200)
  })

  it('follow broken connections only', () => {
    const broken = new TypeError('fetch failed', {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    })
    expect([isReset(broken), isReset(new Error('no')), isReset(undefined)]).toEqual([true, false, false])
  })
})
