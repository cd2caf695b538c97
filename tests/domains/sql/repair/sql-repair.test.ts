import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../../src/edit/edit.js'
import { repair, warehouseForTests } from './repair-in-memory.js'
import { scripted } from './scripted-proposer.js'
import { caseOf, revenueSql, shop, shopWith } from './shop.js'

const warehouse = warehouseForTests()
const metric = 'kb/metrics/revenue.yaml'
const snippet = 'kb/snippets/revenue.sql'
const asking = (word: string) => [
  caseOf('in_id', `ID ${word} in November 2025`, revenueSql('ID', '2025-11-01', '2025-11-30')),
  caseOf('in_th', `TH ${word} in November 2025`, revenueSql('TH', '2025-11-01', '2025-11-30')),
]

describe('a word', () => {
  it('that two metrics with one definition have is left to a person', async () => {
    const copy = (shop[metric] ?? '')
      .replace('metric: revenue', 'metric: takings')
      .replace(/aliases: .*/, 'aliases: [takings, turnover]')
    const files = { ...shop, 'kb/metrics/takings.yaml': copy }
    const { result } = await repair(warehouse, files, asking('turnover'))
    expect(result.accepted).toEqual([])
    expect(result.findings.get('in_id')?.cause).toContain('more than one metric')
  })

  it('that a model writes in place of another one is added beside it', async () => {
    const edit: Edit = {
      kind: 'edit_metric',
      path: metric,
      entry: 'metric:revenue',
      action: 'set',
      at: ['aliases', 1],
      expected: 'turnover',
      value: 'intake',
    }
    const cases = asking('intake')
    const { attempts, text } = await repair(warehouse, shop, cases, {
      rules: false,
      proposer: scripted(() => [edit]),
      named: new Set(cases.map(({ id }) => id)),
    })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(text(metric)).toContain('aliases: [revenue, turnover, intake]\n')
  })
})

it('a sub-query whose star gives out all columns is not opened: it would stay as dead code', async () => {
  const staged = `WITH paid AS (SELECT s.*, 1 AS one FROM sales s WHERE s.status = 'paid')
SELECT sum(amount) AS revenue FROM paid
WHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }}
`
  const files = shopWith({ [snippet]: [shop[snippet] ?? '', staged] })
  const { text } = await repair(warehouse, files, asking('revenue'))
  expect(text(snippet)).toContain('FROM paid\n')
})
