import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../../src/benchmark/case.js'
import type { Edit } from '../../../../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { scripted } from '../../scripted-proposer.js'
import { caseOf, shopWith } from '../../shop.js'

const warehouse = warehouseForTests()

const units = 'kb/metrics/units.yaml'
const snippet = 'kb/snippets/units.sql'
const wrong = shopWith({ [units]: ['sql: channel,', 'sql: day,'] })
const by = (id: string, market: string, month: string, end: string, more: Partial<SqlCase> = {}): SqlCase =>
  caseOf(
    id,
    `${market} units sold by channel in ${month} 2025`,
    `SELECT channel, sum(units) FROM sales WHERE market = '${market}' AND day BETWEEN '${end.slice(0, 7)}-01' AND '${end}' GROUP BY channel ORDER BY 2 DESC LIMIT 10`,
    more,
  )
const ofId = by('a', 'ID', 'November', '2025-11-30')
const ofTh = by('b', 'TH', 'August', '2025-08-31')
const ofSg = by('c', 'SG', 'March', '2025-03-31')

const set = (value: string): Edit => ({
  kind: 'edit_metric',
  path: units,
  entry: 'metric:units',
  action: 'set',
  at: ['parameters', 'by', 'values', 'channel', 'sql'],
  expected: 'day',
  value,
})

async function repairWith(edits: readonly Edit[], files = wrong, cases = [ofId, ofTh, ofSg]) {
  const { attempts, result, text } = await repair(warehouse, files, cases, {
    rules: false,
    maxRetries: 1,
    proposer: scripted(() => edits),
  })
  return { attempts, written: text(units), cause: result.findings.get(ofId.id)?.cause }
}

describe('the expression of a choice that somebody proposes', () => {
  it('is written where it is what the expected queries have', async () => {
    const { attempts, written } = await repairWith([set('channel')])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(written).toContain('sql: channel,')
  })

  it.each(['random() || channel', 'coalesce(CURRENT_DATE, channel)', 'sqlite_version()'])(
    'may not be %s, which comes neither from the data nor from the question',
    async (sql) => {
      const { attempts, written, cause } = await repairWith([set(sql)])
      expect(attempts).toEqual([])
      expect(written).toBe(wrong[units])
      expect(cause).toContain(`${units}: `)
      expect(cause).toContain('is neither in the data nor in the question')
    },
  )

  it('may not stand where a value of the question is compared with it', async () => {
    const files = {
      ...wrong,
      [snippet]: (wrong[snippet] ?? '').replace('GROUP BY', '  AND {{ market }} <> {{ by }}\nGROUP BY'),
    }
    const { attempts, cause } = await repairWith([set('channel')], files)
    expect(attempts).toEqual([])
    expect(cause).toContain('{{ market }} is compared where')
  })

  it('is one example where the rows alone agree', async () => {
    const cases = [ofId, ofTh, ofSg].map((each) => ({ ...each, compare: { policy: 'results' as const } }))
    const { attempts } = await repairWith(
      [set('(SELECT max(s.channel) FROM sales AS s WHERE s.channel = sales.channel)')],
      wrong,
      cases,
    )
    expect(attempts.map(({ grade }) => grade)).not.toContain('E2')
  })

  it('requires two cases that ask for it: twins have it from the one', async () => {
    const { attempts, cause, written } = await repairWith([set('channel')], wrong, [ofId])
    expect(attempts).toMatchObject([{ outcome: 'rejected' }])
    expect(cause).toContain('only one case supports channel for by channel: a second case is needed')
    expect(written).toBe(wrong[units])
  })

  it('loses what the cases do without', async () => {
    const cases = [ofId, ofTh, ofSg].map((each) => ({ ...each, compare: { policy: 'results' as const } }))
    const { written } = await repairWith([set('channel || lower(substr(channel, 99))')], wrong, cases)
    expect(written).not.toContain('substr')
  })

  it('is checked the same way when it comes with its metric', async () => {
    const edits: readonly Edit[] = [
      {
        kind: 'create_metric',
        path: 'kb/metrics/sold.yaml',
        text: `metric: sold\naliases: [units sold by]\nsnippet: units.sql\nparameters:\n  market: { type: enum, values: [ID, TH, SG] }\n  period: { type: date_range }\n  n: { type: number, words: [top], default: 10 }\n  by: { type: choice, default: channel, values: { channel: { sql: "CASE WHEN market = 'ID' THEN channel ELSE channel END", aliases: [channel] } } }\n`,
      },
    ]
    const { attempts, cause } = await repairWith(edits)
    expect(attempts).toEqual([])
    expect(cause).toContain("literal 'ID' is the value of market")
  })
})
