import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { shopWith } from '../../shop.js'
import { clean, historyOf, id, metric, sg, th } from './shop-history.js'

const warehouse = warehouseForTests()

describe('a value that was deleted comes back from history where the expected query has another structure', () => {
  const lines = (path: string, ...texts: string[]) =>
    texts.map((text) => ({ path, text, by: 'commit 1a2b3c0' }))

  it('with the words that it had, whatever else the file has by now', async () => {
    const files = shopWith({ [metric]: ['SG: [Singapore], ', ''] })
    const today = { ...files, [metric]: (files[metric] ?? '').replace('turnover]', 'turnover, takings]') }
    const { attempts, text } = await repair(warehouse, today, [id, th, sg], {
      ...historyOf({ [metric]: [clean(metric)] }),
      removedLines: lines(metric, clean(metric).split('\n')[5] ?? ''),
    })
    expect(attempts).toMatchObject([
      {
        outcome: 'accepted',
        grade: 'E1',
        title: 'revenue: as it was before commit 1a2b3c0',
        cases: ['revenue_sg'],
      },
    ])
    expect(text(metric)).toContain('SG: [Singapore]')
    expect(text(metric)).toContain('takings')
  })

  it('as a word of a value that stayed', async () => {
    const files = shopWith({ [metric]: ['TH: [Thailand]', 'TH: []'] })
    const { attempts, text } = await repair(warehouse, files, [id, th], {
      ...historyOf({ [metric]: [clean(metric)] }),
      removedLines: lines(metric, 'TH: [Thailand]'),
    })
    expect(attempts).toMatchObject([
      { outcome: 'accepted', title: 'revenue: as it was before commit 1a2b3c0' },
    ])
    expect(text(metric)).toContain('TH: [Thailand]')
  })

  it('in place of the one that took its words', async () => {
    const files = shopWith({ [metric]: ['TH: [Thailand]', 'THA: [Thailand]'] })
    const { attempts, text } = await repair(
      warehouse,
      files,
      [id, th],
      historyOf({ [metric]: [clean(metric)] }),
    )
    expect(attempts).toMatchObject([{ outcome: 'accepted', cases: ['revenue_th'] }])
    expect(text(metric)).toContain('TH: [Thailand]')
    expect(text(metric)).not.toContain('THA')
  })

  it('not where the file never had the word', async () => {
    const files = shopWith({ [metric]: ['SG: [Singapore], ', ''] })
    const { attempts } = await repair(
      warehouse,
      files,
      [id, sg],
      historyOf({ [metric]: [files[metric] ?? ''] }),
    )
    expect(attempts).toEqual([])
  })
})
