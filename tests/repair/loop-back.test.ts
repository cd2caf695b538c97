import { describe, expect, it } from 'vitest'
import type { RepairPlan } from '../../src/repair/plan.js'
import type { Proposer, ProposerRequest } from '../../src/repair/proposer.js'
import { repair, revenueId, revenueTh, shop, shopWith, taxId, taxVn, warehouseForTests } from './setting.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const tax = 'kb/snippets/tax.sql'
const filter = "  AND status = 'paid'\n"
const withoutFilter = [`  AND is_test = 0\n`, `${filter}  AND is_test = 0\n`] as const

/** Answers each request with one change of one file. */
function scripted(
  answer: (subject: string, request: ProposerRequest) => { path: string; search: string; replace: string },
): Proposer {
  return {
    reserve: () => ({ release: () => undefined }),
    async propose(request) {
      const [first] = request.diagnoses
      if (first === undefined) throw new Error('asked about no case')
      const { label, subject } = first
      const edit = { kind: 'edit_snippet', ...answer(subject, request) } as const
      const plan: RepairPlan = {
        label,
        subject,
        title: `${edit.path} changed`,
        reasoning: 'scripted',
        edits: [edit],
        cases: request.diagnoses.map(({ evaluation }) => evaluation.testCase),
        goldExposed: false,
        size: 1,
        signature: '',
      }
      return { kind: 'plan', plan }
    },
  }
}

describe('a plan that leads back', () => {
  it('to the knowledge from before an accepted repair is refused, and says which repair it would undo', async () => {
    const files = shopWith({ [revenue]: [filter, ''], [tax]: [filter, ''] })
    const told: string[] = []
    const proposer = scripted((subject, { earlier }) => {
      const [search, replace] = withoutFilter
      if (subject === 'metric revenue') return { path: revenue, search, replace }
      told.push(...earlier.map(({ outcome }) => outcome))
      return { path: revenue, search: replace, replace: search }
    })
    const cases = [revenueId, revenueTh, taxId, taxVn]
    const { result, attempts, text } = await repair(warehouse, files, cases, { rules: false, proposer })
    expect(attempts).toMatchObject([{ id: 'p1', outcome: 'accepted', subject: 'metric revenue' }])
    expect(text(revenue)).toBe(shop[revenue])
    expect(result.findings.get('tax_id')?.cause).toMatch(
      /; plan refused: it would undo p1: the knowledge would be as it was before$/,
    )
    expect(told[0]).toContain('it would undo p1')
  })

  it('to knowledge that was rejected is refused without asking again', async () => {
    const files = shopWith({ [revenue]: [filter, ''] })
    const proposer = scripted(() => ({ path: revenue, search: '  AND is_test = 0\n', replace: '' }))
    const { result, attempts } = await repair(warehouse, files, [revenueId, revenueTh], {
      rules: false,
      proposer,
    })
    expect(attempts).toMatchObject([{ outcome: 'rejected' }])
    expect(result.findings.get('revenue_id')).toMatchObject({
      cause: expect.stringContaining('the same knowledge was tried before'),
      retries: 1,
    })
  })
})
