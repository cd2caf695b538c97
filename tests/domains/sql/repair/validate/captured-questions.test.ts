import { describe, expect, it } from 'vitest'
import { interpret } from '../../../../../src/kb/interpret-question.js'
import { parseKnowledgeBase } from '../../../../../src/kb/parse.js'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { caseOf, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

const metric = 'kb/metrics/channels.yaml'
const files = shopWith({
  [metric]: `metric: channels
title: Channels with the highest sales
aliases: [best sellers]
snippet: channels.sql
parameters:
  period: { type: date_range }
  n: { type: number, words: [top], default: 10 }
`,
  'kb/snippets/channels.sql': `SELECT channel, sum(amount) AS amount
FROM sales
WHERE day BETWEEN {{ period.start }} AND {{ period.end }}
GROUP BY channel
ORDER BY amount DESC
LIMIT {{ n }}
`,
})

const listed = (n: number, year: string): string =>
  `SELECT channel, sum(amount) AS amount FROM sales WHERE day BETWEEN '${year}-01-01' AND '${year}-12-31' GROUP BY channel ORDER BY amount DESC LIMIT ${n}`

const top = (n: number): ReturnType<typeof caseOf> =>
  caseOf(`top_${n}`, `top ${n} channels in 2025`, listed(n, '2025'))

describe('a new name for a list of first rows', () => {
  it.each([1, 2])('is left to a person where every case has it behind a number (%s cases)', async (count) => {
    const cases = [top(3), top(2)].slice(0, count)
    const { attempts, result, text } = await repair(warehouse, files, cases)
    expect(attempts.filter(({ outcome }) => outcome === 'accepted')).toEqual([])
    expect(text(metric)).toBe(files[metric])
    const causes = [...result.findings.values()].map(({ cause }) => cause).join('\n')
    expect(causes).toContain(
      '"channels" alone would also answer "How many channels in 2025" with the list of channels',
    )
  })

  it('is accepted where a case asks for it without a number', async () => {
    const all = caseOf('all', 'channels in 2025', listed(10, '2025'))
    const { attempts, text } = await repair(warehouse, files, [top(3), top(2), all])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(text(metric)).toContain('aliases: [best sellers, channels]')
  })

  it('leaves what nobody asked for without an answer, whatever was repaired', async () => {
    const { result } = await repair(warehouse, files, [top(3), top(2)])
    const kb = parseKnowledgeBase(result.snapshot, 'kb')
    for (const head of [
      'How many channels',
      'Which channels',
      'List of channels',
      'channels',
      'Count of channels',
    ])
      expect(interpret(`${head} in 2025?`, kb, '2025-12-31').kind).toBe('unbound')
  })
})
