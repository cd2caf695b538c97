import { describe, expect, it } from 'vitest'
import { best, expecting } from './propose-for-dau.js'

describe('an expected query with a join', () => {
  it('writes columns of a join with the snippet’s aliases', () => {
    const text = `SELECT sum(i.quantity) AS units
FROM commerce.orders o
JOIN commerce.order_items i ON i.order_id = o.order_id
WHERE o.market = {{ market }}
`
    const example = expecting(`SELECT sum(b.quantity) FROM commerce.order_items b, commerce.orders a
      WHERE a.order_id = b.order_id AND a.market = 'ID' AND a.status = 'paid' AND b.quantity > 0`)
    expect(best(text, example)).toBe(`${text}  AND o.status = 'paid'\n  AND i.quantity > 0\n`)
  })

  it('leaves a bare column of a join bare, rather than guess its table', () => {
    const text = `SELECT sum(i.quantity) AS units
FROM commerce.orders o
JOIN commerce.order_items i ON i.order_id = o.order_id
WHERE o.market = {{ market }}
`
    const example = expecting(`SELECT sum(quantity) FROM commerce.orders o JOIN commerce.order_items i
      ON i.order_id = o.order_id WHERE market = 'ID' AND status = 'paid' AND i.quantity > 0`)
    expect(best(text, example)).toBe(`${text}  AND status = 'paid'\n  AND i.quantity > 0\n`)
  })

  it('changes the columns of USING', () => {
    const text = 'SELECT count(*) AS n FROM a JOIN b USING (client_id) WHERE a.market = {{ market }}'
    const example = expecting(
      "SELECT count(*) AS n FROM a JOIN b ON a.account_id = b.account_id WHERE a.market = 'ID'",
    )
    expect(best(text, example)).toBe(text.replace('client_id', 'account_id'))
  })
})
