import { describe, expect, it } from 'vitest'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueTh, shopWith } from '../../shop.js'
import { clean, historyOf, id, snippet, th, unpaid } from './shop-history.js'

const warehouse = warehouseForTests()

describe('a definition that drifted comes back from history where the expected query has another structure', () => {
  it.each([
    ['a missing condition', ["  AND status = 'paid'\n", '']],
    ['a condition that was added', ['  AND is_test = 0\n', "  AND is_test = 0\n  AND channel = 'web'\n"]],
    ['another column', ['sum(amount)', 'sum(tax)']],
    ['another aggregate', ['sum(amount)', 'max(amount)']],
    ['another literal', ["'paid'", "'cancelled'"]],
    ['everything', [clean(snippet), '']],
  ] as const)('%s: as one example', async (_what, change) => {
    const files = shopWith({ [snippet]: change })
    const { attempts, text } = await repair(
      warehouse,
      files,
      [id],
      historyOf({ [snippet]: [clean(snippet)] }),
    )
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1', cases: ['revenue_id'] }])
    expect(attempts[0]?.reasoning).toContain(`with ${snippet} as it was before commit 1a2b3c0`)
    expect(text(snippet)).toBe(clean(snippet))
  })

  it.each(['', ' \n\n'])(
    'of a file that was emptied, and its lines are not listed one by one',
    async (blank) => {
      const files = shopWith({ [snippet]: blank })
      const removedLines = [{ path: snippet, text: 'FROM sales', by: 'commit 1a2b3c0' }]
      for (const [testCase, why] of [
        [id, 'returns the rows of the expected query, which has another structure'],
        [revenueId, 'matches the expected query'],
      ] as const) {
        const { attempts, text } = await repair(warehouse, files, [testCase], {
          ...historyOf({ [snippet]: [clean(snippet)] }),
          removedLines,
        })
        expect(attempts[0]?.reasoning).toBe(`with ${snippet} as it was before commit 1a2b3c0, revenue ${why}`)
        expect(text(snippet)).toBe(clean(snippet))
      }
    },
  )

  it('of two cases with the evidence of the one that it would be chosen without', async () => {
    const { attempts } = await repair(warehouse, unpaid, [id, th], historyOf({ [snippet]: [clean(snippet)] }))
    expect(attempts).toMatchObject([
      { outcome: 'accepted', grade: 'E2', evidence: { heldOut: { passed: 2, of: 2 } } },
    ])
  })

  it('and what was written since stays', async () => {
    const since = (unpaid[snippet] ?? '').replace('SELECT', '-- agreed in May\nSELECT')
    const texts = { [snippet]: [unpaid[snippet] ?? '', clean(snippet)] }
    const { attempts, text } = await repair(
      warehouse,
      { ...unpaid, [snippet]: since },
      [id],
      historyOf(texts),
    )
    expect(attempts).toMatchObject([
      { outcome: 'accepted', title: expect.stringContaining('commit 1a2b3c1') },
    ])
    expect(text(snippet)).toBe(clean(snippet).replace('SELECT', '-- agreed in May\nSELECT'))
  })

  it('from before several changes where only all of them together explain it', async () => {
    const worse = (unpaid[snippet] ?? '').replace('sum(amount)', 'sum(tax)')
    const texts = { [snippet]: [unpaid[snippet] ?? '', clean(snippet)] }
    const { text } = await repair(warehouse, { ...unpaid, [snippet]: worse }, [id], historyOf(texts))
    expect(text(snippet)).toBe(clean(snippet))
  })
})

it('a snippet that can no longer be rendered comes back as well', async () => {
  const files = shopWith({ [snippet]: ['FROM', "'FROM"] })
  const known = historyOf({ [snippet]: [clean(snippet)] })
  const removedLines = [{ path: snippet, text: clean(snippet), by: 'commit 1a2b3c0' }]
  const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh], {
    ...known,
    removedLines,
  })
  expect(attempts).toMatchObject([{ outcome: 'accepted', label: 'broken_entry' }])
  expect(text(snippet)).toBe(clean(snippet))
  const { result } = await repair(warehouse, files, [revenueId], historyOf({}))
  expect(result.accepted).toEqual([])
  expect(result.findings.get('revenue_id')?.cause).toContain('is inside a string literal')
})

it('a placeholder that was renamed in the snippet alone comes back, though its new name goes', async () => {
  const files = shopWith({ [snippet]: ['{{ market }}', '{{ country }}'] })
  const known = historyOf({ [snippet]: [clean(snippet)] })
  const removedLines = [{ path: snippet, text: 'WHERE market = {{ market }}', by: 'commit 1a2b3c0' }]
  const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh], {
    ...known,
    removedLines,
  })
  expect(attempts).toMatchObject([{ outcome: 'accepted', label: 'broken_entry' }])
  expect(text(snippet)).toBe(clean(snippet))
})

it('the reason why the rules did not write it is reported where git has the same text', async () => {
  const options = { minGrade: 'E2', ...historyOf({ [snippet]: [clean(snippet)] }) } as const
  const { attempts, result } = await repair(warehouse, unpaid, [revenueId], options)
  expect(attempts).toMatchObject([{ outcome: 'rejected' }])
  const withoutGit = await repair(warehouse, unpaid, [revenueId], { minGrade: 'E2' })
  const without = withoutGit.result.findings.get('revenue_id')
  expect(result.findings.get('revenue_id')).toEqual({
    ...without,
    cause: `${without?.cause}; it passed before commit 1a2b3c0`,
  })
})
