import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueTh, shop, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()

const snippet = 'kb/snippets/revenue.sql'
const expecting = (piece: string, instead: string, testCase = revenueId) => ({
  ...testCase,
  expectedSql: testCase.expectedSql.replace(piece, instead),
})

describe('a condition that another snippet of the table shares', () => {
  it.each([
    [
      'is dropped',
      " AND status = 'paid'",
      '',
      `removing status = 'paid' from ${snippet}, although kb/snippets/tax.sql has it`,
    ],
    [
      'is turned around',
      'is_test = 0',
      'is_test <> 0',
      `removing is_test = 0 from ${snippet}, although kb/snippets/`,
    ],
    [
      'gets another value',
      'is_test = 0',
      'is_test = 1',
      `removing is_test = 0 from ${snippet}, although kb/snippets/`,
    ],
  ])('stays where it %s for one case alone', async (_what, piece, instead, cause) => {
    const { result } = await repair(warehouse, shop, [expecting(piece, instead)])
    expect(result.accepted).toEqual([])
    const found = result.findings.get(revenueId.id)?.cause
    expect(found).toContain(`only one case supports ${cause}`)
    expect(found).toContain('a second case is needed')
  })

  it('is removed where two cases ask for it', async () => {
    const cases = [revenueId, revenueTh].map((each) => expecting(" AND status = 'paid'", '', each))
    const { attempts } = await repair(warehouse, shop, cases)
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  })

  it('is removed where the file once did not have it', async () => {
    const one = shopWith({ [snippet]: ['  AND is_test = 0\n', '  AND is_test = 1\n'] })
    const removedLines = [{ path: snippet, text: '  AND is_test = 0', by: 'commit 1a2b3c4' }]
    const bots = shopWith({
      [snippet]: ['is_test = 0', 'is_test = 1'],
      'kb/snippets/tax.sql': ['is_test = 0', 'is_test = 1'],
    })
    const { attempts } = await repair(warehouse, { ...one, ...bots }, [revenueId], {
      removedLines,
    })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('is replaced by one that as many snippets share', async () => {
    const broken = shopWith({ [snippet]: ['is_test = 0', 'is_test = 1'] })
    const tests = 'SELECT sum(tax) AS tax FROM sales WHERE market = {{ market }} AND is_test = 1'
    const { attempts } = await repair(warehouse, { ...broken, 'kb/snippets/test_tax.sql': tests }, [
      revenueId,
    ])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('that is a flag counts as well', async () => {
    const flags = shopWith({
      [snippet]: ['is_test = 0', 'NOT is_test'],
      'kb/snippets/tax.sql': ['is_test = 0', 'NOT is_test'],
    })
    const { result } = await repair(warehouse, flags, [expecting(' AND is_test = 0', '')])
    expect(result.findings.get(revenueId.id)?.cause).toContain(
      `removing NOT is_test from ${snippet}, although kb/snippets/tax.sql has it`,
    )
  })
})

it('a condition that a note mentions is not removed for one case', async () => {
  const note = { 'kb/notes/sales.md': "Every sum of units reads `channel = 'web'` only.\n" }
  const web = shopWith({ [snippet]: ["status = 'paid'", "channel = 'web'"] })
  const { result } = await repair(warehouse, { ...web, ...note }, [
    expecting("status = 'paid'", "channel = 'app'"),
  ])
  expect(result.accepted).toEqual([])
  expect(result.findings.get(revenueId.id)?.cause).toContain("only one case supports 'app'")
})

it('a condition that no other snippet has is removed for one case', async () => {
  const web = shopWith({ [snippet]: ["status = 'paid'", "status = 'paid'\n  AND channel <> 'web'"] })
  const { attempts } = await repair(warehouse, web, [revenueId])
  expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
})

it('a condition that the metric is named after is not removed for one case', async () => {
  const named = shopWith({
    'kb/metrics/revenue.yaml': ['Turnover of paid sales', 'Turnover of store channels'],
    [snippet]: ["status = 'paid'", "status = 'paid'\n  AND channel = 'store'"],
  })
  const { result } = await repair(warehouse, named, [revenueId])
  expect(result.accepted).toEqual([])
  expect(result.findings.get(revenueId.id)?.cause).toContain(
    `removing channel = 'store' from ${snippet}, although "channel" in the metric's names implies it`,
  )
})
