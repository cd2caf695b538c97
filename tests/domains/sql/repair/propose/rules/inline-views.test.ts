import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueSql, shop, shopWith } from '../../shop.js'
import { best, expecting } from './propose-for-dau.js'

const warehouse = warehouseForTests()

describe('an expected query with a derived table', () => {
  it('reads a derived table where the snippet has a CTE, under other names', () => {
    const text = `WITH daily AS (
  SELECT day, sum(visits) AS total
  FROM traffic.pages
  WHERE market = {{ market }}
  GROUP BY day
)
SELECT avg(d.total) AS visits
FROM daily d
`
    const example = expecting(`SELECT avg(x.v) AS mean FROM (
      SELECT day, sum(visits) AS v FROM traffic.pages WHERE market = 'ID' AND NOT is_bot GROUP BY 1) AS x`)
    expect(best(text, example)).toBe(text.replace('{{ market }}\n', '{{ market }}\n    AND NOT is_bot\n'))
  })
})

it('a sub-query whose star gives out all columns is not opened: it would stay as dead code', async () => {
  const snippet = 'kb/snippets/revenue.sql'
  const staged = `WITH paid AS (SELECT s.*, 1 AS one FROM sales s WHERE s.status = 'paid')
SELECT sum(amount) AS revenue FROM paid
WHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }}
`
  const files = shopWith({ [snippet]: [shop[snippet] ?? '', staged] })
  const { text } = await repair(warehouse, files, [
    caseOf('in_id', 'ID revenue in November 2025', revenueSql('ID', '2025-11-01', '2025-11-30')),
    caseOf('in_th', 'TH revenue in November 2025', revenueSql('TH', '2025-11-01', '2025-11-30')),
  ])
  expect(text(snippet)).toContain('FROM paid\n')
})
