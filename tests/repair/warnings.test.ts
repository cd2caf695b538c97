import { describe, expect, it } from 'vitest'
import { repair, revenueId, revenueTh, shopWith, warehouseForTests } from './setting.js'

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

  it('waits for a second case, and says what one alone has it that', async () => {
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

  it('carries none for what was said against the text before it as well, nor where nothing is said', async () => {
    const noStatus = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })
    const said = { ...noStatus, 'kb/notes/n.md': 'Do not use `is_test`.\n' }
    for (const files of [noStatus, said]) {
      const { attempts } = await repair(warehouse, files, [revenueId, revenueTh])
      expect(attempts).toMatchObject([{ outcome: 'accepted' }])
      expect(attempts[0]?.evidence).not.toHaveProperty('warnings')
    }
  })
})
