import { afterAll, describe, expect, it } from 'vitest'
import { auditOf, closeDatabases, findingsOf, sqlCase } from './small-database.js'

afterAll(closeDatabases)

const files = {
  'kb/metrics/gmv.yaml':
    'metric: gmv\ntitle: GMV\naliases: [GMV, sales]\nsnippet: gmv.sql\nparameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }\n',
  'kb/snippets/gmv.sql':
    "SELECT sum(amount) AS gmv FROM orders WHERE status = 'paid' AND market = {{ market }}\n",
}
const gmv = (market: string, status = "status = 'paid' AND ") =>
  `SELECT sum(amount) AS gmv FROM orders WHERE ${status}market = '${market}'`

describe('cases', () => {
  it('that ask the same with the same answer are duplicates, whatever the spelling', async () => {
    const report = await auditOf([
      sqlCase('a', 'ID GMV', gmv('ID')),
      sqlCase('b', ' id  gmv? ', gmv('ID').replace('AS gmv', '')),
    ])
    expect(findingsOf(report, 'duplicate').map(({ subject, text }) => `${subject}: ${text}`)).toEqual([
      'b: the same question as a (benchmarks/shop.yaml:10), with the same expected query',
    ])
    expect(findingsOf(report, 'contradicting')).toEqual([])
  })

  it('that ask the same with another answer contradict, and most are believed', async () => {
    const report = await auditOf([
      sqlCase('odd', 'ID GMV', gmv('ID', '')),
      sqlCase('a', 'ID GMV', gmv('ID')),
      sqlCase('b', 'ID GMV', gmv('ID')),
    ])
    const [finding, ...others] = findingsOf(report, 'contradicting')
    expect(others).toEqual([])
    expect(finding?.subject).toBe('odd')
    expect(finding?.text).toMatch(/^the same question has a different expected query in a \(.*filter/)
  })

  it('that ask the same at another date do not', async () => {
    const report = await auditOf([
      sqlCase('a', 'ID GMV', gmv('ID'), { asOf: '2025-11-30' }),
      sqlCase('b', 'ID GMV', gmv('ID', ''), { asOf: '2025-12-31' }),
    ])
    expect(findingsOf(report, 'duplicate')).toEqual([])
    expect(findingsOf(report, 'contradicting')).toEqual([])
  })

  it('that mean one metric with equal values in other words contradict where their answers differ', async () => {
    const report = await auditOf(
      [sqlCase('a', 'ID GMV', gmv('ID')), sqlCase('b', 'sales in Indonesia', gmv('ID', ''))],
      { files: { ...files, 'kb/snippets/gmv.sql': 'SELECT 1 AS gmv WHERE {{ market }} = 1\n' } },
    )
    expect(findingsOf(report, 'contradicting').map(({ subject }) => subject)).toEqual(['b'])
    expect(findingsOf(report, 'contradicting')[0]?.text).toMatch(
      /^metric gmv with the same values has a different expected query in a /,
    )
  })

  it('of one metric that no one snippet can satisfy contradict', async () => {
    const report = await auditOf(
      [sqlCase('a', 'ID GMV', gmv('ID')), sqlCase('b', 'TH GMV', gmv('TH', "day = '2025-11-01' OR "))],
      { files },
    )
    const [finding] = findingsOf(report, 'contradicting')
    expect(finding?.subject).toBe('b')
    expect(finding?.text).toMatch(/^no snippet can match this and a: compared with kb\/snippets\/gmv\.sql, /)
  })

  it('of one metric that all depart from its snippet are the knowledge base’s fault, not theirs', async () => {
    const report = await auditOf(
      [sqlCase('a', 'ID GMV', gmv('ID', '')), sqlCase('b', 'TH GMV', gmv('TH', "day <> '2025-11-02' AND "))],
      { files },
    )
    expect(findingsOf(report, 'contradicting')).toEqual([])
  })

  it('are judged against those that the filter leaves out, which are not reported themselves', async () => {
    const cases = [sqlCase('a', 'ID GMV', gmv('ID')), sqlCase('b', 'ID GMV', gmv('ID'))]
    const last = await auditOf(cases, { selected: cases.slice(1) })
    expect(findingsOf(last, 'duplicate').map(({ subject }) => subject)).toEqual(['b'])
    const first = await auditOf(cases, { selected: cases.slice(0, 1) })
    expect(findingsOf(first, 'duplicate')).toEqual([])
  })
})
