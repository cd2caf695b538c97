import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { autotest, removeFolders, sampleCopy } from './sample.js'

afterAll(removeFolders)

it('repairs a snippet that joins three tables with USING, as the catalogue tells which of them a column is of', async () => {
  const dir = sampleCopy()
  const path = join(dir, 'kb/snippets/units_sold.sql')
  const using = readFileSync(path, 'utf8')
    .replace('ON i.order_id = o.order_id', 'USING (order_id)')
    .replace('ON p.product_id = i.product_id', 'USING (product_id)')
  writeFileSync(path, using.replace('  AND o.paid_at < {{ period.end_exclusive }}\n', ''))
  const run = await autotest(dir, [
    '--no-commit',
    '--id',
    'units_sold_vn_by_category',
    '--id',
    'units_sold_id_per_brand',
  ])
  expect(run.out).toMatch(/REPAIRED metric units_sold \(2 cases, E1\): kb\/snippets\/units_sold\.sql -0 \+1/)
  expect(readFileSync(path, 'utf8')).toBe(using)
})
