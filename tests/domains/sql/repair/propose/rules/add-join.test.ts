import { describe, expect, it } from 'vitest'
import { best } from './propose-for-dau.js'
import { exampleOf, november } from './snippet-examples.js'

describe('a table that only the expected query reads', () => {
  it('adds a join that is missing', () => {
    const text = 'SELECT count(*) AS n\nFROM commerce.orders o\nWHERE o.market = {{ market }}\n'
    const good = text.replace(
      'WHERE',
      'JOIN crm.accounts a ON a.account_id = o.account_id AND a.is_active\nWHERE',
    )
    expect(best(text, exampleOf(good, november))).toBe(good)
    expect(best(good, exampleOf(text, november))).toBe(text)
  })

  it('lists a table that is missing in a list of tables', () => {
    const listed = `SELECT sum(o.net) AS net
FROM orders o, visits v, shops s
WHERE o.visit = v.id AND v.shop = s.id AND s.market = {{ market }}
`
    expect(best(listed.replace(', visits v', ''), exampleOf(listed, november))).toContain(
      'FROM orders o, visits v, shops s',
    )
  })
})
