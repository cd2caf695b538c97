import { describe, expect, it } from 'vitest'
import { best, expecting, propose } from './propose-for-dau.js'
import { december, exampleOf, november } from './snippet-examples.js'

const dau = `SELECT grass_region, avg(a1) AS dau
FROM traffic.active
WHERE grass_date BETWEEN {{ period.start }} AND {{ period.end }}
  AND grass_region = {{ market }}
GROUP BY 1
`

describe('values of the question', () => {
  it('never writes a value of the question as a literal', () => {
    const broken = dau.replace('  AND grass_region = {{ market }}\n', '')
    expect(best(broken, exampleOf(dau, november))).toBe(dau)
  })

  it('writes a hard-coded value as the placeholder even where only another fault makes the case fail', () => {
    const broken = dau.replace('{{ market }}', "'ID'").replace('avg(a1)', 'sum(a1)')
    const { proposals } = propose(broken, exampleOf(dau, november))
    expect(proposals.map((proposal) => proposal.text)).toEqual([dau])
  })

  it('keeps a literal that only happens to equal a value where another case shows it is constant', () => {
    const good = dau.replace('GROUP', "  AND home = 'ID'\nGROUP")
    expect(best(dau, exampleOf(good, november), exampleOf(good, december))).toBe(good)
  })

  it('does not write a part of a period: that would answer this question only', () => {
    const example = expecting(
      "SELECT grass_region, avg(a1) AS dau FROM traffic.active WHERE month = '2025-11' GROUP BY 1",
    )
    expect(propose(dau, example).proposals).toEqual([])
  })

  it('leaves the 1 of substr alone when the question asks for the top 1', () => {
    const good = `SELECT substr(site, 1, 7) AS site, count(*) AS n FROM visits WHERE kind = 'page' GROUP BY 1 ORDER BY n DESC LIMIT {{ n }}`
    const one = { ...november, n: 1 }
    expect(best(good.replace("WHERE kind = 'page' ", ''), exampleOf(good, one))).toBe(good)
    expect(best(good.replace(' LIMIT {{ n }}', ''), exampleOf(good, one))).toBe(good)
    expect(best(good.replace('substr(site, 1, 7)', 'site'), exampleOf(good, one))).toBe(good)
  })

  it('reads on a period of one day which bound is meant from the comparison', () => {
    const good =
      'SELECT count(*) AS n FROM visits WHERE day >= {{ period.start }} AND day <= {{ period.end }}'
    const day = { ...november, end: november.start }
    const broken = good.replaceAll('day ', 'ts ')
    expect(best(broken, exampleOf(good, day))).toBe(good)
    expect(best('SELECT count(*) AS n FROM visits', exampleOf(good, day))).toBe(good)
  })

  it('shows a chosen dimension by its placeholder and filters on the column by its name', () => {
    const good = `SELECT {{ by }} AS slice, count(*) AS orders
FROM commerce.orders
WHERE channel <> 'test'
GROUP BY 1
`
    expect(best(good.replace('{{ by }}', 'region'), exampleOf(good, november))).toBe(good)
    expect(best(good.replace("channel <> 'test'", 'is_real'), exampleOf(good, november))).toBe(good)
    expect(best(good.replace('{{ by }}', 'region'), exampleOf(good, december))).toBe(good)
  })

  it('infers a missing parameter from several cases of different values', () => {
    const broken = dau.replace('{{ market }}', "'VN'")
    expect(best(broken, exampleOf(dau, november), exampleOf(dau, december))).toBe(dau)
  })
})
