import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../src/benchmark/case.js'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { revenueId, revenueTh, shop, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'

describe('a repair that goes against what the author wrote', () => {
  it('carries it as a warning', async () => {
    const files = {
      ...shopWith({ [revenue]: ['sum(amount)', 'sum(units)'] }),
      'kb/notes/n.md': '# Money\n\nUse `units` rather than `amount`.\n',
    }
    const { attempts } = await repair(warehouse, files, [revenueId, revenueTh])
    expect(attempts).toMatchObject([
      {
        outcome: 'accepted',
        evidence: { warnings: ['kb/snippets/revenue.sql uses amount instead of units (kb/notes/n.md:3)'] },
      },
    ])
  })

  it('is rejected for one case alone, with the text that it contradicts', async () => {
    const files = {
      ...shopWith({ [revenue]: ['sum(amount)', 'sum(units)'] }),
      'kb/notes/n.md': '# Money\n\nUse `units` rather than `amount`.\n',
    }
    const { attempts, result } = await repair(warehouse, files, [revenueId])
    expect(attempts.filter(({ outcome }) => outcome === 'accepted')).toEqual([])
    expect(result.findings.get(revenueId.id)?.cause).toContain(
      'only one case supports the change, although kb/snippets/revenue.sql uses amount instead of units (kb/notes/n.md:3)',
    )
  })

  it('carries none for what was advised against the earlier text as well, nor where nothing is said', async () => {
    const noStatus = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })
    const advised = { ...noStatus, 'kb/notes/n.md': 'Do not use `is_test`.\n' }
    for (const files of [noStatus, advised]) {
      const { attempts } = await repair(warehouse, files, [revenueId, revenueTh])
      expect(attempts).toMatchObject([{ outcome: 'accepted' }])
      expect(attempts[0]?.evidence).not.toHaveProperty('warnings')
    }
  })
})

describe('a snippet that two metrics have', () => {
  const revenue = 'kb/snippets/revenue.sql'
  const files = {
    ...shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] }),
    'kb/metrics/base.yaml': (shop['kb/metrics/revenue.yaml'] ?? '')
      .replace('metric: revenue', 'metric: base')
      .replace('[revenue, turnover]', '[fee base]'),
  }
  const warned = async (cases: readonly SqlCase[]): Promise<readonly string[] | undefined> => {
    const { attempts } = await repair(warehouse, files, cases)
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    return attempts[0]?.evidence?.warnings
  }

  it('is reported where no case asks for one of them', async () => {
    expect(await warned([revenueId, revenueTh])).toContain(
      'kb/metrics/base.yaml also uses revenue.sql, and no case tests base',
    )
    const asked = {
      ...revenueTh,
      id: 'base_th',
      question: revenueTh.question.replace('turnover', 'fee base'),
    }
    expect(await warned([revenueId, revenueTh, asked])).toBeUndefined()
  })
})
