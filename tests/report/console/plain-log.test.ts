import stringWidth from 'fast-string-width'
import { describe, expect, it } from 'vitest'
import { plainCaseLine, plainReport } from '../../../src/report/console/plain-log.js'
import { truncateMiddle } from '../../../src/report/console/screen-layout.js'
import { attempt, detail, failingCase, run } from '../fixtures.js'

const next = 'add an alias to kb/metrics/dau.yaml, or word the question otherwise'

describe('a line about a case in a log', () => {
  const long = (change: { reason?: string; cause?: string }): string | undefined =>
    plainCaseLine({
      ...failingCase,
      label: 'missing_alias',
      cause: change.cause ?? `no metric is called that; ${next}`,
      sample: { ...failingCase.sample, reason: change.reason ?? 'one row differs' },
    })

  it('names the label and what to do next, however much the engine said', () => {
    const line = long({ reason: 'filter missing: a = 1; '.repeat(100) })
    expect(line).toMatch(/^FAIL dau_id_monthly: filter missing: .*… · missing alias: no metric/)
    expect(line?.endsWith(next)).toBe(true)
    expect(stringWidth(line ?? '')).toBeLessThanOrEqual(400)
  })

  it('names them, however long the cause is', () => {
    const line = long({
      reason: 'filter missing: a = 1; '.repeat(100),
      cause: `no metric is called ${'so and '.repeat(100)}; ${next}`,
    })
    expect(line).toMatch(/^FAIL dau_id_monthly: filter missing: .*… · missing alias: no metric/)
    expect(line?.endsWith(next)).toBe(true)
    expect(stringWidth(line ?? '')).toBeLessThanOrEqual(400)
  })

  it('is whole where nothing limits it', () => {
    const reason = 'filter missing: a = 1; '.repeat(100).trim()
    const record = { ...failingCase, sample: { ...failingCase.sample, reason } }
    expect(plainCaseLine(record, Number.POSITIVE_INFINITY)).toBe(`FAIL dau_id_monthly: ${reason}`)
  })
})

describe('a plan in a log', () => {
  it('comes with its diff, and a repair that was written without', () => {
    const planned = plainReport({ ...detail, run: { ...run, mode: 'dry_run', decision: 'pending' } })
    const at = planned.findIndex((line) => line.startsWith('PLANNED metric gmv'))
    expect(planned.slice(at + 1).join('\n')).toContain(
      '-FROM commerce.orders_v1\n+FROM commerce.orders\n WHERE day > 1',
    )
    expect(plainReport({ ...detail, attempts: [attempt] }).join('\n')).not.toContain('+FROM')
  })
})

describe('a text without its middle', () => {
  it.each([
    ['a b c', 5],
    ['word '.repeat(100), 40],
    ['日本語'.repeat(50), 21],
    ['x'.repeat(5000), 12],
  ])('fits', (text, width) => {
    const cut = truncateMiddle(text.trim(), width)
    expect(stringWidth(cut)).toBeLessThanOrEqual(width)
    if (cut !== text.trim()) expect(cut).toContain('…')
  })

  it('keeps its beginning and its end', () => {
    expect(truncateMiddle(`begin ${'and on '.repeat(50)}to the end`, 40)).toMatch(
      /^begin and on .*… on to the end$/,
    )
  })
})
