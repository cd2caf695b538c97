import { describe, expect, it } from 'vitest'
import { AutotestError } from '../../src/errors.js'
import { repair, warehouseForTests } from '../domains/sql/repair/repair-in-memory.js'
import { scripted } from '../domains/sql/repair/scripted-proposer.js'
import { revenueId, revenueTh, shop, shopWith, taxId, taxVn } from '../domains/sql/repair/shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const tax = 'kb/snippets/tax.sql'
const filter = "  AND status = 'paid'\n"
const files = shopWith({ [revenue]: [filter, ''], [tax]: [filter, ''] })
const cases = [revenueId, revenueTh, taxId, taxVn]

/** Repairs the revenue; what becomes of the tax is up to the test. */
function mendsRevenue(otherwise: () => never) {
  return scripted((subject) => {
    if (subject !== 'metric revenue') return otherwise()
    return [
      { kind: 'edit_snippet', path: revenue, search: '  AND is_test', replace: `${filter}  AND is_test` },
    ]
  })
}

describe('a repair that something ends', () => {
  it('keeps what was accepted before an endpoint failed, and says of the others what ended it', async () => {
    const proposer = mendsRevenue(() => {
      throw new AutotestError('llm_rejected', 'HTTP 401: no such key')
    })
    const { result, text } = await repair(warehouse, files, cases, { rules: false, proposer })
    expect(result.abortedBy).toMatchObject({ code: 'llm_rejected' })
    expect(result.accepted).toHaveLength(1)
    expect(text(revenue)).toBe(shop[revenue])
    expect(result.findings.get('revenue_id')?.repairId).toBe('p1')
    expect(result.findings.get('tax_id')?.cause).toMatch(/; not tried: HTTP 401: no such key$/)
  })

  it('says that the budget ended it, not that no plan could be made', async () => {
    const short = (): never => {
      throw new AutotestError(
        'budget_exhausted',
        'the budget of 3 LLM calls does not cover verifying another plan',
      )
    }
    const proposer = { ...mendsRevenue(() => expect.unreachable()), reserve: short }
    const { result } = await repair(warehouse, files, cases, { rules: false, proposer })
    expect(result.abortedBy).toMatchObject({ code: 'budget_exhausted' })
    for (const id of ['revenue_id', 'tax_vn']) {
      const cause = result.findings.get(id)?.cause
      expect(cause).toMatch(/; not tried: the budget of 3 LLM calls does not cover verifying another plan$/)
      expect(cause).not.toContain('no plan could be made')
    }
  })

  it.each([
    ['the time limit of the run was reached', new DOMException('late', 'TimeoutError')],
    ['the run was interrupted', undefined],
  ])('says that %s', async (words, reason) => {
    const end = new AbortController()
    const proposer = mendsRevenue(() => expect.unreachable())
    const propose: typeof proposer.propose = async () => {
      end.abort(reason)
      return { kind: 'none', reason: 'interrupted' }
    }
    const { result } = await repair(warehouse, files, cases, {
      rules: false,
      proposer: { ...proposer, propose },
      signal: end.signal,
    })
    expect(result.accepted).toEqual([])
    for (const id of ['revenue_id', 'tax_vn'])
      expect(result.findings.get(id)?.cause).toMatch(
        new RegExp(`does not match the expected query; not tried: ${words}$`),
      )
  })
})
