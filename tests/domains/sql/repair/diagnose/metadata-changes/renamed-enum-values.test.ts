import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop, shopWith, taxId, taxSql } from '../../shop.js'

const warehouse = warehouseForTests()

const files = ['revenue', 'tax', 'units'].map((name) => `kb/metrics/${name}.yaml`)

/** The shop with another line of values in every metric. */
function everywhere(change: readonly [string, string]): Record<string, string> {
  return shopWith(Object.fromEntries(files.map((path) => [path, change])))
}

const taxTh = caseOf('tax_th', 'tax of Thailand in May 2025', taxSql('TH', '2025-05-01', '2025-05-31'))
const byCode = caseOf('tax_code', 'TH tax in March 2025', taxSql('TH', '2025-03-01', '2025-03-31'))
const revenueByCode = caseOf(
  'revenue_code',
  'TH revenue in May 2025',
  revenueSql('TH', '2025-05-01', '2025-05-31'),
)
const misspelt = everywhere(['TH: [Thailand]', 'HT: [Thailand]'])
const toOther = (code: string) =>
  [revenueTh, taxTh].map((each) => ({ ...each, expectedSql: each.expectedSql.replace("'TH'", `'${code}'`) }))

describe('a code that is another one in all metrics', () => {
  it('is replaced in all of them where cases of several say so, also where no case asks', async () => {
    const { attempts, text } = await repair(warehouse, misspelt, [
      revenueTh,
      taxTh,
      byCode,
      revenueByCode,
      revenueId,
    ])
    expect(attempts).toMatchObject([
      {
        title: '3 metrics: "Thailand" is market TH, not HT',
        outcome: 'accepted',
        grade: 'E2',
        cases: ['revenue_th', 'tax_th', 'tax_code', 'revenue_code'],
      },
    ])
    for (const path of files) expect(text(path)).toBe(shop[path])
  })

  it('is no more than one example where each case left out takes the other metric with it', async () => {
    const { attempts } = await repair(warehouse, misspelt, [revenueTh, taxTh, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('stays where the cases are of one metric alone', async () => {
    const again = { ...revenueTh, id: 'again', question: 'Thailand revenue in August 2025' }
    expect((await repair(warehouse, misspelt, [revenueTh, again, revenueId, taxId])).result.accepted).toEqual(
      [],
    )
  })

  it('stays where a case expects it', async () => {
    const asIs = caseOf('as_is', 'tax of Thailand in June 2025', taxSql('HT', '2025-06-01', '2025-06-30'))
    expect((await repair(warehouse, misspelt, [revenueTh, taxTh, asIs, revenueId])).result.accepted).toEqual(
      [],
    )
  })
})

describe('cases of several metrics that expect another code', () => {
  it('are suspect where the database has no rows of it: the cases are stale', async () => {
    const { result, attempts } = await repair(warehouse, shop, [...toOther('TX'), revenueId])
    expect(attempts).toEqual([])
    expect(result.findings.get('tax_th')).toMatchObject({
      label: 'suspect_oracle',
      cause:
        "its expected query has 'TX', for which the database has no rows; it has rows for 'TH' of the knowledge base",
    })
  })

  it('are left to a person where the database has rows of both codes', async () => {
    const exchanged = everywhere([', SG: [Singapore]', ''])
    const { result, attempts } = await repair(warehouse, exchanged, [...toOther('SG'), revenueId])
    expect(attempts).toEqual([])
    expect(result.findings.get('revenue_th')).toMatchObject({
      label: 'wrong_definition',
      cause:
        "the cases of several metrics expect 'SG' where the knowledge base has 'TH', and the database has rows for both: needs review",
    })
  })
})

it('names the metrics that another value of the same word stands in the way of', async () => {
  const other = {
    ...misspelt,
    'kb/metrics/visits.yaml':
      'metric: visits\naliases: [visits]\nsnippet: everything.sql\nparameters:\n  country: { type: enum, values: { TL: [Thailand] } }\n',
  }
  const { result } = await repair(warehouse, other, [revenueTh, taxTh, revenueId])
  expect(result.accepted).toEqual([])
  expect(result.findings.get('tax_th')?.cause).toContain('kb/metrics/visits.yaml')
})

describe('a literal that the cases of a metric expect in place of another one', () => {
  const paid = (status: string) =>
    [revenueId, revenueTh].map((each) => ({
      ...each,
      expectedSql: each.expectedSql.replace("'paid'", status),
    }))

  it('is not followed where the database has no rows of it: the cases are suspect', async () => {
    const { result, attempts } = await repair(warehouse, shop, [...paid("'payed'"), taxId])
    expect(attempts).toEqual([])
    expect(result.findings.get('revenue_id')).toMatchObject({
      label: 'suspect_oracle',
      cause:
        "its expected query has 'payed', for which the database has no rows; it has rows for 'paid' of the knowledge base",
    })
  })

  it('is followed where there are rows of it, alone or in a list', async () => {
    for (const [broken, good] of [
      ["status = 'payed'", "status = 'paid'"],
      ["status IN ('paid', 'canceled')", "status IN ('paid', 'cancelled')"],
    ] as const) {
      const path = 'kb/snippets/revenue.sql'
      const files = shopWith({ [path]: ["status = 'paid'", broken] })
      const cases = [revenueId, revenueTh].map((each) => ({
        ...each,
        expectedSql: each.expectedSql.replace("status = 'paid'", good),
      }))
      expect((await repair(warehouse, files, [...cases, taxId])).text(path)).toContain(good)
    }
  })
})
