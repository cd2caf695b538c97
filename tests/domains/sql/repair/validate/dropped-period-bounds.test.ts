import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { scripted } from '../scripted-proposer.js'
import { caseOf, revenueSql, shop, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

describe('a bound of a period', () => {
  const revenue = 'kb/snippets/revenue.sql'
  const range = 'day BETWEEN {{ period.start }} AND {{ period.end }}'
  const stale = shopWith({ [revenue]: ['day BETWEEN', 'channel BETWEEN'] })
  const days = ['2025-11-12', '2025-11-13'] as const
  const cases = days.map((day, at) => caseOf(`day_${at}`, `ID revenue on ${day}`, revenueSql('ID', day, day)))

  it.each([
    'day = {{ period.start }}',
    'day = {{ period.end }}',
    'day IN ({{ period.start }}, {{ period.end }})',
  ])('stays, where the expected queries have it and their questions are of one day: %s', async (instead) => {
    const { attempts, cause } = await repair(warehouse, stale, cases, {
      rules: false,
      maxRetries: 1,
      proposer: scripted(() => [
        { kind: 'edit_snippet', path: revenue, search: range.replace('day', 'channel'), replace: instead },
      ]),
    }).then(({ attempts: made, result }) => ({
      attempts: made,
      cause: result.findings.get('day_0')?.cause,
    }))
    expect(attempts).toEqual([])
    expect(cause).toContain('day of period, which the expected query includes')
  })

  it('is removed where the expected queries do without it', async () => {
    const until = (end: string): string => revenueSql('ID', '', end).replace("BETWEEN '' AND", '<=')
    const before = [
      caseOf('a', 'ID revenue in November 2025', until('2025-11-30')),
      caseOf('b', 'ID revenue in August 2025', until('2025-08-31')),
    ]
    const { attempts } = await repair(warehouse, shop, before, {
      rules: false,
      maxRetries: 1,
      proposer: scripted(() => [
        { kind: 'edit_snippet', path: revenue, search: range, replace: 'day <= {{ period.end }}' },
      ]),
    })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  })
})
