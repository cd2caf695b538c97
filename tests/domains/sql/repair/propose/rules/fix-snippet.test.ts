import { expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueTh, shop, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()
const snippet = 'kb/snippets/revenue.sql'
const clean = shop[snippet] ?? ''

it('a snippet that was cut off ends its last line as the others do', async () => {
  const cut = clean.slice(0, clean.indexOf('\n  AND status'))
  const { text } = await repair(warehouse, shopWith({ [snippet]: cut }), [revenueId, revenueTh])
  expect(text(snippet)).toBe(clean)
})

it('a final newline stays missing where the last line is as it was', async () => {
  const files = { ...shop, [snippet]: clean.trimEnd().replace("'paid'", "'cancelled'") }
  const { text } = await repair(warehouse, files, [revenueId, revenueTh])
  expect(text(snippet)).toBe(clean.trimEnd())
})

it('a final newline stays missing where no snippet has one', async () => {
  const ended = Object.entries(shop).map(([path, text]) => [path, text.trimEnd()] as const)
  const cut = clean.slice(0, clean.indexOf('\n  AND is_test'))
  const files = { ...Object.fromEntries(ended), [snippet]: cut }
  const { text } = await repair(warehouse, files, [revenueId, revenueTh])
  expect(text(snippet)).toBe(clean.trimEnd())
})
