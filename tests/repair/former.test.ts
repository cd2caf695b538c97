import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../src/benchmark/case.js'
import type { History, PreviousQuery, PreviousVersion } from '../../src/domains/sql/repair/model/history.js'
import {
  caseOf,
  noHistory,
  repair,
  revenueId,
  revenueSg,
  revenueTh,
  shop,
  shopWith,
  taxId,
  warehouseForTests,
} from './setting.js'

const warehouse = warehouseForTests()

const snippet = 'kb/snippets/revenue.sql'
const metric = 'kb/metrics/revenue.yaml'
const clean = (path: string): string => shop[path] ?? ''

/** The case with its query in a structure that no snippet of one SELECT has; what it gives decides. */
const otherwise = (testCase: SqlCase): SqlCase => ({
  ...testCase,
  expectedSql: `${testCase.expectedSql} INTERSECT ${testCase.expectedSql}`,
  compare: { policy: 'results' },
})
const [id, th, sg] = [otherwise(revenueId), otherwise(revenueTh), otherwise(revenueSg)]

/** What git has of files before each change, newest first. */
function historyOf(
  texts: Readonly<Record<string, readonly string[]>>,
  more: Partial<History> = {},
): { readonly history: History } {
  const states = (path: string): PreviousVersion[] =>
    (texts[path] ?? []).map((text, index) => ({ text, by: `commit 1a2b3c${index}` }))
  return {
    history: {
      ...noHistory,
      versionsOf: async (path) => states(path),
      ...more,
    },
  }
}

const unpaid = shopWith({ [snippet]: ["  AND status = 'paid'\n", ''] })

describe('a definition that drifted comes back from history where the expected query has another structure', () => {
  it.each([
    ['a condition that was lost', ["  AND status = 'paid'\n", '']],
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

  it.each(['', ' \n\n'])('of a file that was emptied; its lines are not told one by one', async (blank) => {
    const files = shopWith({ [snippet]: blank })
    const formerLines = [{ path: snippet, text: 'FROM sales', by: 'commit 1a2b3c0' }]
    for (const [testCase, why] of [
      [id, 'returns the rows of the expected query, which has another structure'],
      [revenueId, 'matches the expected query'],
    ] as const) {
      const { attempts, text } = await repair(warehouse, files, [testCase], {
        ...historyOf({ [snippet]: [clean(snippet)] }),
        removedLines: formerLines,
      })
      expect(attempts[0]?.reasoning).toBe(`with ${snippet} as it was before commit 1a2b3c0, revenue ${why}`)
      expect(text(snippet)).toBe(clean(snippet))
    }
  })

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

it('a snippet that can no longer be rendered comes back, too', async () => {
  const files = shopWith({ [snippet]: ['FROM', "'FROM"] })
  const known = historyOf({ [snippet]: [clean(snippet)] })
  const formerLines = [{ path: snippet, text: clean(snippet), by: 'commit 1a2b3c0' }]
  const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh], {
    ...known,
    removedLines: formerLines,
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
  const formerLines = [{ path: snippet, text: 'WHERE market = {{ market }}', by: 'commit 1a2b3c0' }]
  const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh], {
    ...known,
    removedLines: formerLines,
  })
  expect(attempts).toMatchObject([{ outcome: 'accepted', label: 'broken_entry' }])
  expect(text(snippet)).toBe(clean(snippet))
})

describe('nothing comes back', () => {
  const untouched = async (
    files: Readonly<Record<string, string>>,
    cases: readonly SqlCase[],
    history: ReturnType<typeof historyOf>,
  ): Promise<string | undefined> => {
    const { result } = await repair(warehouse, files, cases, history)
    expect(result.accepted).toEqual([])
    return result.findings.get('revenue_id')?.cause
  }
  const before = { [snippet]: [clean(snippet)] }

  it('where no former text gives what is expected', async () => {
    const texts = { [snippet]: ['', 'SELECT', clean(snippet).replace('sum(amount)', 'sum(tax)')] }
    expect(await untouched(unpaid, [id], historyOf(texts))).toContain('does not match the expected query')
  })

  it('where the same change gave another case of the metric its query: the case is what was forgotten', async () => {
    const cause = await untouched(
      unpaid,
      [id],
      historyOf(before, { casesChangedBy: async () => [revenueTh] }),
    )
    expect(cause).toBe(`it expects ${snippet} as it was before commit 1a2b3c0, which removed case revenue_th`)
    const { attempts } = await repair(
      warehouse,
      unpaid,
      [id],
      historyOf(before, { casesChangedBy: async () => [taxId] }),
    )
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  })

  it('where the same change gave the former text to another metric, however many cases want it back', async () => {
    const paid = {
      'kb/metrics/paid.yaml': clean(metric)
        .replace('metric: revenue', 'metric: paid')
        .replace(/aliases:.*/, 'aliases: [paid]')
        .replace('revenue.sql', 'paid.sql'),
      'kb/snippets/paid.sql': clean(snippet),
    }
    const move = (by: string) =>
      historyOf(before, {
        knowledgeChangedBy: async (each) =>
          each === by ? [{ path: 'kb/snippets/paid.sql', before: undefined, after: clean(snippet) }] : [],
      })
    const moved = await untouched({ ...unpaid, ...paid }, [id, th], move('commit 1a2b3c0'))
    expect(moved).toBe(
      `it expects ${snippet} as it was before commit 1a2b3c0, which moved that to metric paid`,
    )
    const copied = await untouched({ ...unpaid, ...paid }, [id], move('commit of another day'))
    expect(copied).toContain(
      'only one case supports the change, and metric paid already covers it: a second case is needed',
    )
  })

  it('where the same change was made in a snippet whose case passes', async () => {
    const taxes = 'kb/snippets/tax.sql'
    const files = { ...unpaid, [taxes]: clean(taxes).replace("  AND status = 'paid'\n", '') }
    const tax = caseOf('tax_all', taxId.question, taxId.expectedSql.replace(" AND status = 'paid'", ''))
    const knowledgeChangedBy = async () => [
      { path: snippet, before: clean(snippet), after: unpaid[snippet] },
      { path: taxes, before: clean(taxes), after: files[taxes] },
    ]
    expect(await untouched(files, [id, tax], historyOf(before, { knowledgeChangedBy }))).toContain(
      `only one case supports undoing commit 1a2b3c0, which changed ${taxes} in the same way`,
    )
  })

  it.each([
    ['a comment', snippet, '-- every status counts'],
    ['a note', 'kb/notes/sales.md', 'Revenue has every status in it.'],
  ])(
    'where the change said what it did in %s, and one case alone wants it back',
    async (_what, path, words) => {
      const text = `${words}\n${unpaid[path] ?? ''}`
      const knowledgeChangedBy = async () => [
        { path: snippet, before: clean(snippet), after: path === snippet ? text : unpaid[snippet] },
        { path, before: shop[path], after: text },
      ]
      const history = historyOf(before, { knowledgeChangedBy })
      expect(await untouched({ ...unpaid, [path]: text }, [id], history)).toContain(
        `only one case supports undoing commit 1a2b3c0, which documents the change: "${words}": a second case is needed`,
      )
    },
  )

  it('where the case expected before what the metric gives now', async () => {
    const former: PreviousQuery = {
      question: id.question,
      sql: id.expectedSql.replaceAll(" AND status = 'paid'", ''),
      by: 'commit 9f8e7d6',
    }
    const cause = await untouched(unpaid, [id], historyOf(before, { queriesOf: async () => [former] }))
    expect(cause).toContain(
      'commit 9f8e7d6 changed its expected query; metric revenue matches the previous one',
    )
  })

  it('where a passing case of the metric would break', async () => {
    const gross = caseOf(
      'gross_th',
      revenueTh.question,
      revenueTh.expectedSql.replace(" AND status = 'paid'", ''),
    )
    expect(await untouched(unpaid, [id, gross], historyOf(before))).toContain(
      'contradicts passing case gross_th',
    )
  })

  it('where one case alone wants a text without a condition that other snippets have', async () => {
    const without = { ...id, expectedSql: id.expectedSql.replaceAll(' AND is_test = 0', '') }
    const texts = { [snippet]: [clean(snippet).replace('  AND is_test = 0\n', '')] }
    expect(await untouched(shop, [without], historyOf(texts))).toContain('only one case supports removing')
  })

  it('where one case alone wants a table that every other snippet left', async () => {
    const old = {
      ...id,
      expectedSql: id.expectedSql
        .replaceAll('FROM sales', 'FROM visits')
        .replaceAll(/ AND status.*?(?= INTERSECT|$)/g, '')
        .replaceAll('sum(amount)', 'sum(seconds)'),
    }
    const then =
      'SELECT sum(seconds) AS revenue\nFROM visits\nWHERE market = {{ market }}\n  AND day BETWEEN {{ period.start }} AND {{ period.end }}\n'
    expect(await untouched(shop, [old], historyOf({ [snippet]: [then] }))).toContain('only one case')
  })

  it('where the author once wrote the value of a parameter', async () => {
    const fixed = clean(snippet).replace('{{ market }}', "'ID'")
    await untouched(unpaid, [id], historyOf({ [snippet]: [fixed] }))
  })

  it('where the rules are not to repair', async () => {
    const { attempts } = await repair(warehouse, unpaid, [id], { ...historyOf(before), rules: false })
    expect(attempts).toEqual([])
  })
})

describe('a value that was lost comes back from history where the expected query has another structure', () => {
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
      { outcome: 'accepted', grade: 'E1', title: 'revenue: market had no value SG', cases: ['revenue_sg'] },
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
    expect(attempts).toMatchObject([{ outcome: 'accepted', title: expect.stringContaining('"Thailand"') }])
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

it('why the rules did not write it is told, where git has just what they proposed', async () => {
  const options = { minGrade: 'E2', ...historyOf({ [snippet]: [clean(snippet)] }) } as const
  const { attempts, result } = await repair(warehouse, unpaid, [revenueId], options)
  expect(attempts).toMatchObject([{ outcome: 'rejected' }])
  const told = await repair(warehouse, unpaid, [revenueId], { minGrade: 'E2' })
  expect(result.findings.get('revenue_id')).toEqual(told.result.findings.get('revenue_id'))
})
