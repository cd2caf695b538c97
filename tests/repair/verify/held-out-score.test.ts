import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/agent/agent.js'
import { templateAgent } from '../../../src/agent/template-agent.js'
import type { SqlTypes } from '../../../src/domains/sql/sql-domain-types.js'
import type { ModelRequest } from '../../../src/repair/model/model-proposer.js'
import { readText } from '../../../src/snapshot/snapshot.js'
import { repair, warehouseForTests } from '../../domains/sql/repair/repair-in-memory.js'
import { scripted } from '../../domains/sql/repair/scripted-proposer.js'
import { revenueId, revenueTh, shopWith, taxId } from '../../domains/sql/repair/shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const filter = "  AND status = 'paid'\n"
const search = '  AND is_test = 0\n'
const unpaid = shopWith({ [revenue]: [filter, ''] })

/** Answers as the template agent does, but for Thailand, which it gets wrong once the filter is back. */
const wrongForThailand: Agent = {
  ...templateAgent({ kbFolder: 'kb' }),
  async ask(request, snapshot) {
    const answer = await templateAgent({ kbFolder: 'kb' }).ask(request, snapshot)
    const isRepaired = readText(snapshot, revenue)?.includes(filter) === true
    return isRepaired && request.question.includes('Thailand') && answer.kind === 'answer'
      ? { ...answer, text: answer.text.replace('sum(amount)', 'sum(units)') }
      : answer
  },
}

describe('a plan with which a held-out case fails', () => {
  it('is not written, and its proposer learns one bit of it', async () => {
    const requests: ModelRequest<SqlTypes>[] = []
    const proposer = scripted((_subject, request) => {
      requests.push(request)
      return [{ kind: 'edit_snippet', path: revenue, search, replace: `${filter}${search}` }]
    })
    const { attempts, result, text } = await repair(warehouse, unpaid, [revenueId, revenueTh, taxId], {
      rules: false,
      agent: wrongForThailand,
      proposer,
    })
    expect(attempts).toMatchObject([
      { outcome: 'rejected', evidence: { target: { passed: 1, of: 1 }, heldOut: { passed: 0, of: 1 } } },
    ])
    expect(text(revenue)).toBe(unpaid[revenue])
    // The honest case is not blamed for it.
    expect(result.findings.get(revenueTh.id)?.label).toBe('wrong_definition')
    const outcome = requests.at(-1)?.earlier[0]?.outcome
    expect(outcome).toContain('a held-out case fails')
    expect(outcome).not.toMatch(/Thailand|TH|revenue_th/)
  })
})
