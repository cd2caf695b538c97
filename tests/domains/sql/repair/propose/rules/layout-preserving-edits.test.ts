import { describe, expect, it } from 'vitest'
import { changesBetween, invertChanges } from '../../../../../../src/edit/apply-edits.js'
import { withFiles } from '../../../../../../src/snapshot/snapshot.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()
const path = 'kb/snippets/revenue.sql'

describe.each([
  ['CR', '\r'],
  ['CRLF', '\r\n'],
])('a snippet whose lines end in %s', (_, end) => {
  const good = shop[path]?.replaceAll('\n', end) ?? ''

  it.each([
    ['a line within', `  AND status = 'paid'${end}`],
    ['its last line', `  AND is_test = 0${end}`],
  ])('gets %s back byte by byte, and loses it again byte by byte', async (_where, line) => {
    const drifted = { ...shopWith({}), [path]: good.replace(line, '') }
    const { result, before, text } = await repair(warehouse, drifted, [revenueId, revenueTh, taxId])
    expect(text(path)).toBe(good)
    expect(changesBetween(before, result.snapshot).map((change) => change.path)).toEqual([path])
    expect(withFiles(result.snapshot, invertChanges(before, result.snapshot)).hash).toBe(before.hash)
  })
})
