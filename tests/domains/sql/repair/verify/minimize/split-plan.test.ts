import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { scripted } from '../../scripted-proposer.js'
import { revenueId, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const note = 'kb/notes/money.md'
const cases = [revenueId, revenueTh].map((each) => ({ ...each, compare: { policy: 'results' as const } }))
const last = '(SELECT max(market) FROM sales)'

function text(search: string, replace: string, path = revenue): Edit {
  return { kind: path === note ? 'edit_note' : 'edit_snippet', path, search, replace }
}

async function repairWith(drift: readonly [string, string], edits: readonly Edit[]) {
  const files = { ...shopWith({ [revenue]: drift }), [note]: '# Money\nRefunds do not count.\n' }
  return repair(warehouse, files, [...cases, taxId], {
    rules: false,
    proposer: scripted(() => edits),
    named: new Set(cases.map(({ id }) => id)),
  })
}

const staleStatus = ["status = 'paid'", "status = 'payed'"] as const
const staleColumn = ['sum(amount) AS revenue', 'sum(tax) AS revenue'] as const

describe('a replacement with more than its cases require', () => {
  it.each([
    ['a branch', `status = CASE WHEN market = ${last} THEN status ELSE 'paid' END`],
    ['a branch of a function', `status = iif(market = ${last}, status, 'paid')`],
    ['a default', `status = coalesce((SELECT max(channel) FROM sales WHERE day IS NULL), 'paid')`],
    ['an alternative', `(status = 'paid' OR market = ${last})`],
    ['an alternative before it', `(market = ${last} OR status = 'paid')`],
    ['a condition', `status = 'paid' AND amount > - amount`],
    ['a member', `status IN ('paid', (SELECT max(channel) FROM sales))`, `status IN ('paid')`],
    ['a function', `lower(status) = 'paid'`],
    ['a sum', `status = 'paid' || substr(channel, amount)`],
  ])('%s is removed from a condition', async (_what, instead, left = "status = 'paid'") => {
    const { attempts, text: written } = await repairWith(staleStatus, [text("status = 'payed'", instead)])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(written(revenue)).toBe(shop[revenue]?.replace("status = 'paid'", left))
  })

  it.each([
    ['a branch', `sum(CASE WHEN market = ${last} THEN units ELSE amount END) AS revenue`],
    ['a condition', 'sum(CASE WHEN amount > - amount THEN amount END) AS revenue'],
    ['another function', 'total(amount) AS revenue'],
    ['a window', 'max(sum(amount)) OVER (PARTITION BY count(*)) AS revenue'],
    ['another name', 'sum(amount) AS answer'],
    ['a factor', 'sum(amount) * (length(min(market)) / length(max(market))) AS revenue'],
  ])('%s is removed from an output', async (_what, instead) => {
    const { attempts, text: written } = await repairWith(staleColumn, [text('sum(tax) AS revenue', instead)])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(written(revenue)).toBe(shop[revenue])
  })

  it.each([
    ['an alternative', `status = 'paid' OR market = ${last}`],
    ['a condition', `status = 'paid' AND amount > - amount`],
  ])(
    '%s is removed from a new branch, whichever of several equal words was there before',
    async (_what, when) => {
      const without = ["  AND status = 'paid'\n", ''] as const
      const { attempts, text: written } = await repairWith(without, [
        text('sum(amount)', `sum(CASE WHEN ${when} THEN amount END)`),
      ])
      expect(attempts).toMatchObject([{ outcome: 'accepted' }])
      expect(written(revenue)).toContain("sum(CASE WHEN status = 'paid' THEN amount END)")
    },
  )

  it('words of the author stay, also where the cases do without them', async () => {
    const { attempts, text: written } = await repairWith(staleStatus, [
      text(
        "day BETWEEN {{ period.start }} AND {{ period.end }}\n  AND status = 'payed'",
        "status = 'paid'\n  AND day >= {{ period.start }} AND day <= {{ period.end }}",
      ),
    ])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(written(revenue)).toContain('{{ period.start }} AND')
    expect(written(revenue)).toContain('is_test = 0')
  })
})
