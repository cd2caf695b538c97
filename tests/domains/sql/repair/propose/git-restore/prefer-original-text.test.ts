import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../../../../src/edit/edit-types.js'
import { noHistory, repair, warehouseForTests } from '../../repair-in-memory.js'
import { scripted } from '../../scripted-proposer.js'
import { revenueId, revenueTh, shop } from '../../shop.js'

const warehouse = warehouseForTests()
const snippet = 'kb/snippets/revenue.sql'
const cases = [revenueId, revenueTh]

const staged = `-- What was paid, whatever became of it later
WITH paid AS (
  SELECT market, day, amount
  FROM sales
  WHERE status = 'paid'
    AND is_test = 0
)
SELECT sum(amount) AS revenue
FROM paid
WHERE market = {{ market }}
  AND day BETWEEN {{ period.start }} AND {{ period.end }}
`

async function repaired(broken: string, original: string): Promise<string | undefined> {
  const { attempts, text } = await repair(warehouse, { ...shop, [snippet]: broken }, cases, {
    history: { ...noHistory, versionsOf: async () => [{ text: original, by: 'commit 1a2b3c4' }] },
  })
  expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  return text(snippet)
}

describe('what a change took out', () => {
  const withoutStage = staged.replace(/WITH[\s\S]*?\n\)\n/, '')

  it.each([
    ['a CTE', withoutStage],
    ['the first condition', staged.replace("WHERE status = 'paid'\n    AND", 'WHERE')],
    ['all conditions of a stage', staged.replace("  WHERE status = 'paid'\n    AND is_test = 0\n", '')],
  ])('comes back as its author wrote it, whatever lines that takes (%s)', async (_what, broken) => {
    expect(await repaired(broken, staged)).toBe(staged)
  })

  it('comes back under words of its own where a model had written something else', async () => {
    const broken = staged.replace("WHERE status = 'paid'\n    AND", 'WHERE')
    const replace = 'SELECT sum(amount) AS revenue FROM sales WHERE market = {{ market }}'
    const edit: Edit = { kind: 'edit_snippet', path: snippet, search: broken, replace }
    const { attempts, text } = await repair(warehouse, { ...shop, [snippet]: broken }, cases, {
      rules: false,
      proposer: scripted(() => [edit]),
      named: new Set(cases.map(({ id }) => id)),
      history: { ...noHistory, versionsOf: async () => [{ text: staged, by: 'commit 1a2b3c4' }] },
    })
    expect(text(snippet)).toBe(staged)
    expect(attempts).toMatchObject([
      { outcome: 'accepted', title: 'revenue: as it was before commit 1a2b3c4' },
    ])
  })

  it('comes back alone: what else was changed since stays', async () => {
    const since = (text: string): string => text.replace(/$/, '-- both days count\n')
    expect(await repaired(since(withoutStage), staged)).toBe(since(staged))
  })

  it('does not restore a change of words that is on the same line', async () => {
    const broken = staged.replace(
      "WHERE status = 'paid'\n    AND is_test = 0",
      'WHERE is_test = 0 -- no trials',
    )
    expect(await repaired(broken, staged)).toContain('-- no trials\n')
  })
})
