import { describe, expect, it } from 'vitest'
import { best, expecting, propose } from './propose-for-dau.js'
import { december, exampleOf, november } from './snippet-examples.js'

const dau = `SELECT grass_region, avg(a1) AS dau
FROM traffic.active
WHERE grass_date BETWEEN {{ period.start }} AND {{ period.end }}
  AND grass_region = {{ market }}
GROUP BY 1
`

describe('what a proposal says', () => {
  it('describes the change in words, with its size and a title', () => {
    const good = dau.replace('  AND grass_region', "  AND tz_type = 'local'\n  AND grass_region")
    const { proposals, abstained } = propose(dau, exampleOf(good, november))
    expect(abstained).toBeUndefined()
    expect(proposals[0]).toEqual({
      text: good,
      changedTokens: 4,
      explanation: ["adds the filter tz_type = 'local'"],
      title: "dau: filter tz_type = 'local' was missing",
    })
  })

  it('describes a table that moved', () => {
    const { proposals } = propose(
      dau,
      exampleOf(dau.replace('traffic.active', 'traffic.active_v5'), november),
    )
    expect(proposals[0]?.explanation).toEqual(['reads traffic.active_v5 instead of traffic.active'])
  })

  it('describes a name that one sub-query gives to the next, wherever it stands', () => {
    const good = `WITH daily AS (
  SELECT local_day, sum(kwh) AS kwh
  FROM readings
  WHERE region = {{ market }}
    AND local_day BETWEEN {{ period.start }} AND {{ period.end }}
  GROUP BY local_day
)
SELECT local_day, kwh
FROM daily
QUALIFY rank() OVER (ORDER BY kwh DESC) = 1
`
    const { proposals } = propose(good.replaceAll('local_day', 'read_at'), exampleOf(good, november))
    expect(proposals[0]).toMatchObject({
      text: good,
      title: 'dau: local_day instead of read_at',
      explanation: ['has local_day wherever the snippet has read_at'],
    })
  })

  it('counts the further faults in the title', () => {
    const good = dau.replace('avg(a1)', 'sum(a2)').replace('traffic.active', 'traffic.accounts')
    expect(propose(dau, exampleOf(good, november)).proposals[0]?.title).toMatch(/ \(and 1 more\)$/)
  })
})

describe('abstaining', () => {
  it('abstains where the snippet says what is expected already', () => {
    expect(propose(dau, exampleOf(dau, november)).abstained).toMatch(/already matches/)
  })

  it('follows the expected query in what says the same, where it does so already and the case fails nevertheless', () => {
    const good = `WITH baskets AS (
  SELECT order_id, sum(quantity) AS items
  FROM lines
  WHERE market = {{ market }}
  GROUP BY order_id
)
SELECT avg(items) AS items
FROM baskets
`
    // Nothing reads the column, so that both say the same; but no engine takes a column that is not grouped by.
    const refused = good.replace('SELECT order_id', 'SELECT account_id')
    expect(best(refused, exampleOf(good, november))).toBe(good)
  })

  it('abstains where the expected query cannot be read, and names the case', () => {
    expect(propose(dau, expecting('SELECT FROM WHERE')).abstained).toBe(
      'the expected query of ID_2025-11-01 cannot be read',
    )
  })

  it('abstains where two cases contradict each other', () => {
    const one = exampleOf(dau.replace('avg', 'sum'), november)
    const other = exampleOf(dau.replace('avg', 'max'), december)
    const { proposals, abstained } = propose(dau, one, other)
    expect(proposals).toEqual([])
    expect(abstained).toMatch(/no small change .* fixes it/)
  })

  it('abstains without a failing case', () => {
    expect(propose(dau).proposals).toEqual([])
  })

  it('abstains from a query of another kind', () => {
    const union = 'SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3'
    expect(propose(dau, expecting(union)).proposals).toEqual([])
  })
})
