import { describe, expect, it } from 'vitest'
import type { SqlTypes } from '../../../src/domains/sql/sql-domain-types.js'
import type { Edit } from '../../../src/edit/edit-types.js'
import type { ModelRequest } from '../../../src/repair/model/model-proposer.js'
import { repair, warehouseForTests } from '../../domains/sql/repair/repair-in-memory.js'
import { scripted } from '../../domains/sql/repair/scripted-proposer.js'
import { revenueId, revenueTh, shop, shopWith, taxId, taxVn } from '../../domains/sql/repair/shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const tax = 'kb/snippets/tax.sql'
const filter = "  AND status = 'paid'\n"
const unpaid = shopWith({ [revenue]: [filter, ''], [tax]: [filter, ''] })
const cases = [revenueId, revenueTh, taxId, taxVn]
const search = '  AND is_test = 0\n'
const right = (path: string): readonly Edit[] => [
  { kind: 'edit_snippet', path, search, replace: `${filter}${search}` },
]
const wrong = (path: string): readonly Edit[] => [{ kind: 'edit_snippet', path, search, replace: '' }]
const pathOf = (subject: string): string => (subject === 'metric tax' ? tax : revenue)

/** A proposer that records what it was asked about. */
function recorded(edits: (subject: string, request: ModelRequest<SqlTypes>) => readonly Edit[]) {
  const subjects: string[] = []
  const proposer = scripted((subject, request) => {
    subjects.push(subject)
    return edits(subject, request)
  })
  return { subjects, proposer, proposerFirst: true }
}

describe('a proposer that is asked before the rules', () => {
  it('makes the plans also where the rules have some', async () => {
    const { subjects, ...first } = recorded((subject) => right(pathOf(subject)))
    const { attempts, text } = await repair(warehouse, unpaid, cases, first)
    expect(subjects).toEqual(['metric revenue', 'metric tax'])
    expect(attempts.map(({ outcome, goldExposed }) => [outcome, goldExposed])).toEqual([
      ['accepted', false],
      ['accepted', false],
    ])
    expect([text(revenue), text(tax)]).toEqual([shop[revenue], shop[tax]])
  })

  it('leaves to the rules what its plans do not repair, and is not asked again', async () => {
    const { subjects, ...first } = recorded((subject) =>
      subject === 'metric tax' ? right(tax) : wrong(revenue),
    )
    const { attempts, text } = await repair(warehouse, unpaid, cases, first)
    expect(new Set(subjects)).toEqual(new Set(['metric revenue', 'metric tax']))
    expect(attempts.map(({ outcome, goldExposed }) => [outcome, goldExposed])).toEqual([
      ['rejected', false],
      ['accepted', false],
      ['accepted', true],
    ])
    expect([text(revenue), text(tax)]).toEqual([shop[revenue], shop[tax]])
  })

  it('leaves the rules as many plans as it did not use of those that a cause may take', async () => {
    const { subjects, ...first } = recorded(() => wrong(revenue))
    const { attempts } = await repair(
      warehouse,
      shopWith({ [revenue]: [filter, ''] }),
      [revenueId, revenueTh],
      {
        ...first,
        maxRetries: 1,
      },
    )
    expect(subjects).toEqual(['metric revenue'])
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['rejected'])
  })

  it('is not asked about cases that contradict each other', async () => {
    const contradicting = { ...revenueTh, expectedSql: revenueTh.expectedSql.replace('sum', 'avg') }
    const { subjects, ...first } = recorded(() => right(revenue))
    const { result } = await repair(
      warehouse,
      shopWith({ [revenue]: [filter, ''] }),
      [revenueId, contradicting],
      first,
    )
    expect(subjects).toEqual([])
    expect(result.findings.get('revenue_id')?.label).toBe('suspect_oracle')
  })

  it('has its outcome reported where the rules propose nothing', async () => {
    const { subjects, ...first } = recorded(() => wrong('kb/snippets/none.sql'))
    const union = {
      ...revenueId,
      expectedSql: 'SELECT 1 AS revenue UNION ALL SELECT 2',
    }
    const { result } = await repair(warehouse, shop, [union], first)
    expect(subjects.length).toBeGreaterThan(0)
    expect(result.findings.get('revenue_id')?.cause).toMatch(/none\.sql/)
  })
})
