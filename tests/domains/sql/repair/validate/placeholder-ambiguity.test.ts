import { describe, expect, it } from 'vitest'
import { historyOf } from '../propose/git-restore/shop-history.js'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { caseOf, revenueSql, shop } from '../shop.js'

const warehouse = warehouseForTests()

/** A metric of one day's sales whose condition on the day is missing. */
function closing(condition: string): Record<string, string> {
  const revenue = shop['kb/metrics/revenue.yaml'] ?? ''
  return {
    'kb/metrics/closing.yaml': revenue
      .replace('metric: revenue', 'metric: closing')
      .replace('[revenue, turnover]', '[closing sales]')
      .replace('revenue.sql', 'closing.sql'),
    'kb/snippets/closing.sql': `SELECT sum(amount) AS sales\nFROM sales\nWHERE market = {{ market }}\n  AND ${condition}\n`,
  }
}

function asked(period: string, condition: string) {
  const sql = `SELECT sum(amount) AS sales FROM sales WHERE market = 'ID' AND ${condition}`
  return caseOf(period, `ID closing sales ${period}`, sql)
}

const withoutDay = closing('{{ period.days }} > 0')

describe('first or last day', () => {
  it('is not guessed where every case asks for a single day', async () => {
    const cases = ['2025-11-11', '2025-10-10'].map((day) => asked(`on ${day}`, `1 > 0 AND day = '${day}'`))
    const { result } = await repair(warehouse, withoutDay, cases)
    expect(result.accepted).toEqual([])
    expect(result.findings.get('on 2025-11-11')?.cause).toContain('so the cases cannot decide')
  })

  it('is not guessed behind a comparison that either may stand in: after it, before it', async () => {
    const { result } = await repair(warehouse, withoutDay, [
      asked('on 2025-11-11', "1 > 0 AND day > '2025-11-11'"),
    ])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('on 2025-11-11')?.cause).toContain('so the cases cannot decide')
  })

  it('is known from one case of a longer period', async () => {
    const cases = [
      asked('on 2025-11-11', "1 > 0 AND day = '2025-11-11'"),
      asked('in October 2025', "31 > 0 AND day = '2025-10-31'"),
    ]
    const { text } = await repair(warehouse, withoutDay, cases)
    expect(text('kb/snippets/closing.sql')).toContain('day = {{ period.end }}')
  })

  it('is known from the comparison', async () => {
    const { text } = await repair(warehouse, withoutDay, [
      asked('on 2025-11-11', "1 > 0 AND day >= '2025-11-11' AND day <= '2025-11-11'"),
    ])
    expect(text('kb/snippets/closing.sql')).toContain('day >= {{ period.start }}')
    expect(text('kb/snippets/closing.sql')).toContain('day <= {{ period.end }}')
  })
})

describe('a period in other words', () => {
  it('is not copied as the number of a month: no twin has another month', async () => {
    const { result } = await repair(warehouse, withoutDay, [
      asked('in November 2025', '30 > 0 AND CAST(substr(day, 6, 2) AS INTEGER) = 11'),
    ])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('in November 2025')?.cause).toContain('no twin with another period')
  })

  it('is not copied as the first day of its year', async () => {
    const { result } = await repair(warehouse, closing('day <= {{ period.end }}'), [
      asked('in November 2025', "day <= '2025-11-30' AND day >= '2025-01-01'"),
    ])
    expect(result.accepted).toEqual([])
  })
})

describe('a number that is as large as one of the question', () => {
  const snippet = 'kb/snippets/revenue.sql'
  const inMonth = (market: string, month: string, start: string, end: string) =>
    caseOf(month, `${market} revenue in ${month} 2025`, revenueSql(market, start, end, ' AND tax <= 30'))
  const november = inMonth('ID', 'November', '2025-11-01', '2025-11-30')
  const september = inMonth('TH', 'September', '2025-09-01', '2025-09-30')
  const august = inMonth('SG', 'August', '2025-08-01', '2025-08-31')
  const known = `${shop[snippet] ?? ''}  AND tax <= 30\n`
  const damages = [
    ['a missing filter', shop],
    ['another number', { ...shop, [snippet]: known.replace('30', '20') }],
  ] as const

  it.each(damages)('is not treated as the length of the period, nor guessed: %s', async (_what, files) => {
    for (const cases of [[november], [november, september]]) {
      const { result } = await repair(warehouse, files, cases)
      expect(result.accepted).toEqual([])
      expect(result.findings.get('November')?.cause).toMatch(
        /(?:30 or \{\{ period\.days \}\}|\{\{ period\.days \}\} or 30): every case asks for 30 days, so the cases cannot decide/,
      )
    }
  })

  it.each(damages)('is known from a period of another length, and from git: %s', async (_what, files) => {
    const { text } = await repair(warehouse, files, [november, august])
    expect(text(snippet)).toBe(known)
    const git = await repair(warehouse, files, [november, september], historyOf({ [snippet]: [known] }))
    expect(git.text(snippet)).toBe(known)
  })

  it('is not treated as the number of rows either', async () => {
    const inMarket = (market: string) =>
      caseOf(
        market,
        `top 7 units sold in ${market} in May 2025 by channel`,
        `SELECT channel AS slice, sum(units) AS units FROM sales WHERE market = '${market}' AND day BETWEEN '2025-05-01' AND '2025-05-31' AND tax >= 7 GROUP BY 1 ORDER BY 2 DESC LIMIT 7`,
      )
    const { result } = await repair(warehouse, shop, [inMarket('ID'), inMarket('TH')])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('ID')?.cause).toMatch(
      /(?:7 or \{\{ n \}\}|\{\{ n \}\} or 7): every case asks for 7, so the cases cannot decide/,
    )
  })

  it('is treated as the length of the period where something is divided by it', async () => {
    const whole = asked('in November 2025', "day BETWEEN '2025-11-01' AND '2025-11-30'")
    const daily = { ...whole, expectedSql: whole.expectedSql.replace('sum(amount)', 'sum(amount) / 30') }
    const files = closing('day BETWEEN {{ period.start }} AND {{ period.end }}')
    const { text } = await repair(warehouse, files, [daily])
    expect(text('kb/snippets/closing.sql')).toContain('sum(amount) / {{ period.days }}')
  })
})
