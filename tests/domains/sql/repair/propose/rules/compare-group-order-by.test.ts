import { describe, expect, it } from 'vitest'
import { best, propose } from './propose-for-dau.js'
import { december, exampleOf, november } from './snippet-examples.js'

const dau = `SELECT grass_region, avg(a1) AS dau
FROM traffic.active
WHERE grass_date BETWEEN {{ period.start }} AND {{ period.end }}
  AND grass_region = {{ market }}
GROUP BY 1
`

describe('an order that no case asks for', () => {
  const ordered = `${dau}ORDER BY 2 DESC\n`
  const unfiltered = (text: string): string => text.replace('  AND grass_region = {{ market }}\n', '')

  it('stays as the author wrote it where something else is wrong; taking it out too is the other plan', () => {
    const { proposals } = propose(unfiltered(ordered), exampleOf(dau, november), exampleOf(dau, december))
    expect(proposals.map(({ text }) => text)).toEqual([ordered, dau])
  })

  it('contradicts no case that asks for it', () => {
    const both = [exampleOf(dau, november), exampleOf(ordered, december)]
    expect(best(unfiltered(ordered), ...both)).toBe(ordered)
    expect(best(unfiltered(dau), ...both.reverse())).toBe(ordered)
  })

  it('is removed where nothing else is wrong and the case fails nevertheless', () => {
    expect(best(ordered, exampleOf(dau, november))).toBe(dau)
  })

  it('is removed where it decides which rows there are', () => {
    const few = `${dau}LIMIT 1\n`
    expect(best(unfiltered(`${ordered}LIMIT 1\n`), exampleOf(few, november), exampleOf(few, december))).toBe(
      few,
    )
  })
})
