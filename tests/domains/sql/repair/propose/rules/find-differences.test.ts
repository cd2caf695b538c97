import { describe, expect, it } from 'vitest'
import { best } from './propose-for-dau.js'
import { exampleOf, november } from './snippet-examples.js'

describe('an expected query that differs below its outermost SELECT', () => {
  it('changes a set operation and an arm of it', () => {
    const text = `SELECT id FROM a WHERE market = {{ market }} UNION SELECT id FROM b WHERE market = {{ market }}`
    const good = `SELECT id FROM a WHERE market = {{ market }} UNION ALL SELECT id FROM b WHERE market = {{ market }} AND c`
    expect(best(text, exampleOf(good, november))).toBe(good)
  })

  it('reaches into a sub-query of a condition', () => {
    const text = 'SELECT count(*) AS n FROM o WHERE o.id IN (SELECT id FROM paid) AND o.market = {{ market }}'
    const good = text.replace('FROM paid', 'FROM paid WHERE NOT test')
    expect(best(text, exampleOf(good, november))).toBe(good)
  })
})
