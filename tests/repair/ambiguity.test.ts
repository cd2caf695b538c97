import { describe, expect, it } from 'vitest'
import { caseOf, repair, shop, warehouseForTests } from './setting.js'

const warehouse = warehouseForTests()

/** A metric of one day's sales that has lost its day. */
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

const lost = closing('{{ period.days }} > 0')

describe('first or last day', () => {
  it('is not guessed where every case asks for a single day', async () => {
    const cases = ['2025-11-11', '2025-10-10'].map((day) => asked(`on ${day}`, `1 > 0 AND day = '${day}'`))
    const { result } = await repair(warehouse, lost, cases)
    expect(result.accepted).toEqual([])
    expect(result.findings.get('on 2025-11-11')?.cause).toContain('cannot tell which')
  })

  it('is not guessed behind a comparison that either may stand in: after it, before it', async () => {
    const { result } = await repair(warehouse, lost, [asked('on 2025-11-11', "1 > 0 AND day > '2025-11-11'")])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('on 2025-11-11')?.cause).toContain('cannot tell which')
  })

  it('is known from one case of a longer period', async () => {
    const cases = [
      asked('on 2025-11-11', "1 > 0 AND day = '2025-11-11'"),
      asked('in October 2025', "31 > 0 AND day = '2025-10-31'"),
    ]
    const { text } = await repair(warehouse, lost, cases)
    expect(text('kb/snippets/closing.sql')).toContain('day = {{ period.end }}')
  })

  it('is known from the comparison', async () => {
    const { text } = await repair(warehouse, lost, [
      asked('on 2025-11-11', "1 > 0 AND day >= '2025-11-11' AND day <= '2025-11-11'"),
    ])
    expect(text('kb/snippets/closing.sql')).toContain('day >= {{ period.start }}')
    expect(text('kb/snippets/closing.sql')).toContain('day <= {{ period.end }}')
  })
})

describe('a period in other words', () => {
  it('is not copied as the number of a month: no twin has another month', async () => {
    const { result } = await repair(warehouse, lost, [
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
