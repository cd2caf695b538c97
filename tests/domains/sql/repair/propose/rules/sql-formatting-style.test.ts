import { describe, expect, it } from 'vitest'
import { best, expecting } from './propose-for-dau.js'
import { exampleOf, november } from './snippet-examples.js'

const dau = `SELECT grass_region, avg(a1) AS dau
FROM traffic.active
WHERE grass_date BETWEEN {{ period.start }} AND {{ period.end }}
  AND grass_region = {{ market }}
GROUP BY 1
`

describe('the author’s text', () => {
  it('is untouched by an expected query in other words', () => {
    const example = expecting(`
      select t.grass_region as region, avg(t.a1)
      from traffic.active as t
      where t.grass_region = 'ID' and date '2025-11-30' >= t.grass_date and t.grass_date >= date '2025-11-01'
        and t.tz_type = 'local'
      group by t.grass_region`)
    expect(best(dau, example)).toBe(
      dau.replace('{{ period.end }}\n', "{{ period.end }}\n  AND tz_type = 'local'\n"),
    )
  })

  it('keeps lower-case key words on one line', () => {
    const text = 'select count(*) as n from visits v where v.market = {{ market }}'
    const example = expecting("SELECT COUNT(*) AS n FROM visits WHERE market = 'ID' AND is_bot IS NOT TRUE")
    expect(best(text, example)).toBe(`${text} and v.is_bot is not true`)
  })

  it('keeps ANDs at the ends of lines', () => {
    const text = 'SELECT count(*) AS n\nFROM visits\nWHERE market = {{ market }} AND\n      NOT is_bot\n'
    const good = text.replace('{{ market }} AND\n', '{{ market }} AND\n      is_new AND\n')
    expect(best(text, exampleOf(good, november))).toBe(good)
    const last = text.replace('NOT is_bot', 'NOT is_bot AND\n      is_new')
    expect(best(text, exampleOf(last, november))).toBe(last)
  })

  it('keeps the AND of a line that loses its first condition', () => {
    const worse = dau.replace('  AND grass_region', "  AND tz_type = 'local' AND grass_region")
    expect(best(worse, exampleOf(dau, november))).toBe(dau)
  })

  it('gets several missing conditions on lines of their own, as its clauses are written', () => {
    expect(best(dau.replace(/WHERE[\s\S]*?(?=GROUP)/, ''), exampleOf(dau, november))).toBe(dau)
  })

  it('gets a bracketed condition of several lines on one, brackets next to it', () => {
    const good = dau.replace('  AND', '  AND (\n    a1 > 0\n    OR a2 > 0\n  )\n  AND')
    expect(best(dau, exampleOf(good, november))).toBe(dau.replace('  AND', '  AND (a1 > 0 OR a2 > 0)\n  AND'))
  })

  it('has its functions in small letters where only the IN behind them is written large', () => {
    const worse = dau.replace('  AND grass_region', "  AND tz IN ('a', 'b')\n  AND grass_region")
    const good = worse.replace('avg(a1)', 'sum(a1) / count(a2)')
    expect(best(worse, exampleOf(good, november))).toBe(good)
  })

  it('leaves the comment of the line in front in its place', () => {
    const text =
      'SELECT count(*) AS n\nFROM visits\nWHERE market = {{ market }} -- of the visitor\n  AND NOT is_bot\n'
    const good = text.replace('visitor\n', 'visitor\n  AND is_new\n')
    expect(best(text, exampleOf(good, november))).toBe(good)
    expect(best(good, exampleOf(text, november))).toBe(text)
  })

  it('keeps carriage returns', () => {
    const text = dau.replaceAll('\n', '\r\n')
    const good = text.replace('  AND grass_region', "  AND tz_type = 'local'\r\n  AND grass_region")
    expect(best(text, exampleOf(good, november))).toBe(good)
  })

  it('brackets an OR that it joins with AND', () => {
    const text = "SELECT count(*) AS n FROM shops WHERE status = 'open' OR status = 'paused'"
    const example = expecting(
      "SELECT count(*) AS n FROM shops WHERE (status = 'open' OR status = 'paused') AND market = 'ID'",
    )
    expect(best(text, example)).toBe(
      "SELECT count(*) AS n FROM shops WHERE (status = 'open' OR status = 'paused') AND market = {{ market }}",
    )
  })

  it('follows a table without alias through the columns that name it', () => {
    const text =
      'SELECT sum(orders_v1.amount) AS gmv FROM commerce.orders_v1 WHERE orders_v1.market = {{ market }}'
    expect(best(text, exampleOf(text.replaceAll('orders_v1', 'orders'), november))).toBe(
      text.replaceAll('orders_v1', 'orders'),
    )
  })

  it('numbers the columns behind one that was missing again', () => {
    const good = `SELECT grass_region, platform, avg(a1) AS dau
FROM traffic.active
WHERE grass_region = {{ market }}
GROUP BY 1, 2
ORDER BY 3 DESC
`
    const broken = good.replace(' platform,', '').replace('BY 1, 2', 'BY 1').replace('BY 3', 'BY 2')
    expect(best(broken, exampleOf(good, november))).toBe(good)
  })
})
