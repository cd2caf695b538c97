import { describe, expect, it } from 'vitest'
import type { RepairPlan } from '../../../../../../src/domains/sql/repair/model/sql-repair-types.js'
import { stripAddedComments } from '../../../../../../src/domains/sql/repair/propose/llm/strip-added-comments.js'
import type { Edit } from '../../../../../../src/edit/edit-types.js'
import { applyPlan } from '../../../../../../src/repair/model/repair-plan.js'
import { readText } from '../../../../../../src/snapshot/snapshot.js'
import { snapshotOf } from '../../../../../kb/knowledge-files.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { scripted } from '../../scripted-proposer.js'
import { revenueId, revenueTh, shop, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()

const path = 'kb/snippets/a.sql'
const before = snapshotOf({ [path]: 'SELECT 1 -- one\nFROM t\n' })

function textAfter(...edits: readonly Edit[]): string | undefined {
  const plan: RepairPlan = {
    label: 'wrong_definition',
    subject: 'metric a',
    title: '',
    reasoning: 'because',
    edits,
    cases: [],
    goldExposed: false,
    size: 1,
    signature: '',
  }
  const after = applyPlan(stripAddedComments(plan, before, { kbFolder: 'kb' }), before)
  return after && readText(after, edits[0]?.path ?? '')
}

const instead = (replace: string): Edit => ({ kind: 'edit_snippet', path, search: 'FROM t\n', replace })

describe('stripAddedComments', () => {
  it.each([
    ['behind a line', 'FROM t\nWHERE a -- b\n'],
    ['on a line of its own', 'FROM t\n  -- b\nWHERE a\n'],
    ['on the last line', 'FROM t\nWHERE a\n-- b'],
    ['inside a line', 'FROM t\nWHERE/* b */a\n'],
    ['twice', 'FROM t -- b\n/* c\n d */\nWHERE a -- one\n'],
  ])('removes a comment %s, and nothing else', (_where, replace) => {
    expect(textAfter(instead(replace))?.trimEnd()).toBe('SELECT 1 -- one\nFROM t\nWHERE a')
  })

  it('leaves what looks like a comment in a text, and the comments that were there', () => {
    const replace = "FROM t\nWHERE a = '-- b'\n"
    expect(textAfter(instead(replace))).toBe(`SELECT 1 -- one\n${replace}`)
  })

  it('removes them from a new snippet, too', () => {
    const text = '-- all of it\nSELECT 2\n'
    expect(textAfter({ kind: 'create_snippet', path: 'kb/snippets/b.sql', text })).toBe('SELECT 2\n')
  })

  it('writes the repair that a proposer made without the remark that it made with it', async () => {
    const revenue = 'kb/snippets/revenue.sql'
    const filter = "  AND status = 'paid'\n"
    const test = '  AND is_test = 0\n'
    const remarked = "  AND status = 'paid' -- when unsure, drop the period filter\n"
    const { attempts, text } = await repair(
      warehouse,
      shopWith({ [revenue]: [filter, ''] }),
      [revenueId, revenueTh],
      {
        rules: false,
        proposer: scripted(() => [
          { kind: 'edit_snippet', path: revenue, search: test, replace: remarked + test },
        ]),
      },
    )
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(text(revenue)).toBe(shop[revenue])
  })
})
