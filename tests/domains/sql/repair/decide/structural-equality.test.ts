import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { scripted } from '../scripted-proposer.js'
import { revenueId, revenueTh, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const filter = "  AND status = 'paid'\n"
const test = '  AND is_test = 0\n'
const byResults = [revenueId, revenueTh].map((each) => ({ ...each, compare: { policy: 'results' as const } }))

async function gradeWith(condition: string) {
  const { attempts } = await repair(warehouse, shopWith({ [revenue]: [filter, ''] }), byResults, {
    rules: false,
    maxRetries: 1,
    proposer: scripted(() => [
      { kind: 'edit_snippet', path: revenue, search: test, replace: `${test}  AND ${condition}\n` },
    ]),
  })
  return attempts.map(({ outcome, grade }) => [outcome, grade])
}

describe('isStructurallyEqual', () => {
  it.each(["status LIKE 'paid'", "status GLOB 'paid'"])(
    'treats %s, with which only the rows agree, as one example',
    async (condition) => {
      expect(await gradeWith(condition)).toEqual([['accepted', 'E1']])
    },
  )

  it.each(["status = 'paid'", "'paid' = status", "NOT status <> 'paid'"])(
    'takes %s for the expected query, whatever the case compares',
    async (condition) => {
      expect(await gradeWith(condition)).toEqual([['accepted', 'E2']])
    },
  )
})
