import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()
const snippet = 'kb/snippets/revenue.sql'
const lost = "\n  AND status = 'paid'"

/** The revenue of a market in another style than the snippet's, its condition on the status spelled as given. */
const asked = (id: string, question: string, market: string, days: string, status: string) =>
  caseOf(
    id,
    question,
    `WITH s AS (SELECT * FROM sales WHERE is_test = 0 AND ${days}) SELECT sum(amount) AS revenue FROM s WHERE market = '${market}' AND ${status}`,
    // What the queries give decides: there are no copies here.
    { compare: { policy: 'results' } },
  )
const november = (status: string) =>
  asked('november', 'ID revenue in November 2025', 'ID', "day >= '2025-11-01' AND day < '2025-12-01'", status)
const august = (status: string) =>
  asked('august', 'TH revenue in August 2025', 'TH', "day BETWEEN '2025-08-01' AND '2025-08-31'", status)

describe('a lost condition that each failing case spells otherwise', () => {
  const files = shopWith({ [snippet]: [lost, ''] })

  it('comes back in one of the spellings', async () => {
    const cases = [november("status = 'paid' AND units > 3"), august("status = 'paid' AND units >= 4")]
    const { text } = await repair(warehouse, shopWith({}), cases)
    expect(text(snippet)).toMatch(/\n {2}AND units (?:> 3|>= 4)\n/)
  })

  it('does not come back as what only one of them means', async () => {
    const cases = [november("status = 'paid'"), august("channel = 'web'")]
    expect((await repair(warehouse, files, cases)).result.accepted).toEqual([])
  })
})

it('a choice that the cases themselves vary needs no twin with another value', async () => {
  const files = shopWith({
    'kb/metrics/revenue.yaml': [
      'revenue.sql\nparameters:',
      `revenue.sql\nparameters:\n  kind: { type: choice, default: any, values: { any: { sql: "coalesce(channel, '')" }, web: { sql: "'web'", aliases: [web shop] } } }`,
    ],
    [snippet]: [lost, "\n  AND coalesce(channel, '') = {{ kind }}"],
  })
  const cases = [
    november("status = 'paid'"),
    asked(
      'web',
      'TH revenue of the web shop in August 2025',
      'TH',
      "day BETWEEN '2025-08-01' AND '2025-08-31'",
      "channel = 'web' AND status IN ('paid')",
    ),
  ]
  const { text } = await repair(warehouse, files, cases)
  expect(text(snippet)).toMatch(/AND status (?:= 'paid'|IN \('paid'\))/)
})
