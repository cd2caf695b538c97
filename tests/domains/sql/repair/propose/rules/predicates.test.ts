import { describe, expect, it } from 'vitest'
import { best, expecting } from './propose-for-dau.js'

describe('an expected query with bounds', () => {
  it('turns two bounds of an expected query into the snippet’s BETWEEN', () => {
    const text = 'SELECT count(*) AS n FROM v WHERE created BETWEEN {{ period.start }} AND {{ period.end }}'
    const example = expecting(
      "SELECT count(*) AS n FROM v WHERE paid <= DATE '2025-11-30' AND paid >= DATE '2025-11-01'",
    )
    expect(best(text, example)).toBe(text.replace('created', 'paid'))
  })

  it('drops a bound of BETWEEN that is not meant', () => {
    const text = 'SELECT count(*) AS n FROM v WHERE day BETWEEN {{ period.start }} AND {{ period.end }}'
    const example = expecting("SELECT count(*) AS n FROM v WHERE day <= DATE '2025-11-30'")
    expect(best(text, example)).toBe('SELECT count(*) AS n FROM v WHERE day <= {{ period.end }}')
  })
})
