import { describe, expect, it } from 'vitest'
import type { PreviousVersion } from '../../../../../../src/domains/sql/repair/model/knowledge-history.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueSg, revenueTh, shop, shopWith, taxId } from '../../shop.js'
import { by, clean, gitOf, metric, snippet } from './shop-history.js'

const warehouse = warehouseForTests()

/** Another metric, with a snippet of this name. */
const incomeOn = (name: string): string =>
  clean(metric)
    .replace('metric: revenue', 'metric: income')
    .replace('[revenue, turnover]', '[income]')
    .replace('revenue.sql', name)

const without = (...paths: readonly string[]) =>
  shopWith(Object.fromEntries(paths.map((path) => [path, null])))

it('a metric whose file was emptied comes back as one that was deleted does', async () => {
  const files = { ...shop, [metric]: '\n\n' }
  const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh], gitOf([metric]))
  expect(attempts).toMatchObject([{ outcome: 'accepted', title: `revenue: ${metric} was deleted` }])
  expect(text(metric)).toBe(clean(metric))
})

describe('a file of the knowledge base that was deleted', () => {
  it.each([
    ['a snippet', [snippet], `revenue: ${snippet} was deleted`],
    ['a metric', [metric], `revenue: ${metric} was deleted`],
    ['a metric and its snippet', [snippet, metric], `revenue: ${snippet} and ${metric} were deleted`],
  ])('comes back byte by byte: %s', async (_what, paths, title) => {
    const { attempts, text } = await repair(
      warehouse,
      without(...paths),
      [revenueId, revenueTh, taxId],
      gitOf(paths),
    )
    expect(attempts).toMatchObject([
      {
        outcome: 'accepted',
        grade: 'E2',
        title,
        cases: ['revenue_id', 'revenue_th'],
        evidence: { heldOut: { passed: 2, of: 2 } },
      },
    ])
    expect(paths.map(text)).toEqual(paths.map(clean))
  })

  it('comes back for one case alone, as one example', async () => {
    const { attempts } = await repair(warehouse, without(metric), [revenueId, taxId], gitOf([metric]))
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1', cases: ['revenue_id'] }])
  })

  it('comes back for the cases that pass with it, and the others are diagnosed with it', async () => {
    const wrong = { ...revenueSg, expectedSql: revenueSg.expectedSql.replace("'paid'", "'cancelled'") }
    const cases = [revenueId, revenueTh, wrong]
    const { attempts, result, text } = await repair(warehouse, without(metric), cases, gitOf([metric]))
    expect(attempts).toMatchObject([
      { outcome: 'accepted', cases: ['revenue_id', 'revenue_th'] },
      { outcome: 'rejected', cases: ['revenue_sg'] },
    ])
    expect(result.findings.get('revenue_sg')?.label).toBe('suspect_oracle')
    expect(text(metric)).toBe(clean(metric))
  })

  it('comes back as it was before, where its last text gives nothing that is expected', async () => {
    const worse = clean(snippet).replace('sum(amount)', 'max(tax)')
    const { removedLines } = gitOf([snippet])
    const { history } = gitOf([], {}, { [snippet]: clean(snippet) })
    const textsOf = async (path: string): Promise<readonly PreviousVersion[]> =>
      path === snippet ? [{ text: worse, by }, ...(await history.versionsOf(path))] : []
    const { attempts, text } = await repair(warehouse, without(snippet), [revenueId, revenueTh], {
      removedLines,
      history: { ...history, versionsOf: textsOf },
    })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(text(snippet)).toBe(clean(snippet))
  })

  it('comes back where one with the same words, deleted since, gives something else', async () => {
    const [path, sql] = ['kb/metrics/income.yaml', 'kb/snippets/income.sql']
    const later: Readonly<Record<string, string>> = {
      [path]: incomeOn('income.sql').replace('[income]', '[income, revenue, turnover]'),
      [sql]: clean(snippet).replace('sum(amount)', 'sum(amount - tax)'),
    }
    const { history, removedLines } = gitOf([snippet, metric])
    const lines = Object.entries(later).flatMap(([each, text]) =>
      text.split('\n').map((line) => ({ path: each, text: line, by: 'commit 2b3c4d0' })),
    )
    const { attempts, text } = await repair(warehouse, without(snippet, metric), [revenueId, revenueTh], {
      removedLines: [...lines, ...removedLines],
      history: {
        ...history,
        versionsOf: async (each) =>
          later[each] === undefined
            ? await history.versionsOf(each)
            : [{ text: later[each], by: 'commit 2b3c4d0' }],
      },
    })
    expect(attempts).toMatchObject([{ outcome: 'accepted', cases: ['revenue_id', 'revenue_th'] }])
    expect([snippet, metric].map(text)).toEqual([snippet, metric].map(clean))
    expect([path, sql].map(text)).toEqual([undefined, undefined])
  })

  it('comes back with its snippet as that was before, where that has been deleted twice', async () => {
    const worse = clean(snippet).replace('sum(amount)', 'sum(amount - tax)')
    const git = gitOf([snippet, metric])
    const older = [
      { text: worse, by },
      { text: '', by: 'commit 2b3c4d0' },
      { text: clean(snippet), by: 'commit 0000000' },
    ]
    const textsOf = async (path: string) => (path === snippet ? older : await git.history.versionsOf(path))
    const { attempts, text } = await repair(warehouse, without(snippet, metric), [revenueId, revenueTh], {
      ...git,
      history: { ...git.history, versionsOf: textsOf },
    })
    expect(attempts).toMatchObject([
      {
        outcome: 'accepted',
        reasoning: `with ${metric} as it was before ${by} and ${snippet} as it was before commit 0000000, revenue returns what the expected queries return`,
      },
    ])
    expect([snippet, metric].map(text)).toEqual([snippet, metric].map(clean))
  })

  it('comes back for the metric that the cases mean, where several share the snippet', async () => {
    const files = { ...without(snippet), 'kb/metrics/income.yaml': incomeOn('revenue.sql') }
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh], gitOf([snippet]))
    expect(attempts).toMatchObject([{ outcome: 'accepted', title: `revenue: ${snippet} was deleted` }])
    expect(text(snippet)).toBe(clean(snippet))
  })

  it('is looked for under its new name first', async () => {
    const renamed = { ...without(snippet), 'kb/snippets/turnover.sql': clean(snippet) }
    const { attempts, text } = await repair(warehouse, renamed, [revenueId, revenueTh], gitOf([snippet]))
    expect(attempts).toMatchObject([
      { outcome: 'accepted', title: 'revenue: its snippet was renamed to turnover.sql' },
    ])
    expect(text(metric)).toBe(clean(metric).replace('revenue.sql', 'turnover.sql'))
    expect(text(snippet)).toBeUndefined()
  })

  it.each([
    ['one that another metric reads already', 'income.yaml', clean(snippet)],
    ['one with other comments that came in its place', undefined, `-- in euro\n${clean(snippet)}`],
  ])('is looked for under its new name first: %s', async (_what, other, now) => {
    const path = 'kb/snippets/turnover.sql'
    const files: Record<string, string> = { ...without(snippet), [path]: now }
    if (other !== undefined) files[`kb/metrics/${other}`] = incomeOn('turnover.sql')
    const knowledgeChangedBy = async () => [
      { path: snippet, before: clean(snippet), after: undefined },
      { path, before: undefined, after: now },
    ]
    const git = gitOf([snippet], { knowledgeChangedBy })
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh], git)
    expect(attempts).toMatchObject([
      { outcome: 'accepted', title: 'revenue: its snippet was renamed to turnover.sql' },
    ])
    expect(text(metric)).toBe(clean(metric).replace('revenue.sql', 'turnover.sql'))
    expect(text(snippet)).toBeUndefined()
  })

  it('is not confused with the snippet of another metric that says the same', async () => {
    const files = {
      ...without(snippet),
      'kb/snippets/income.sql': clean(snippet),
      'kb/metrics/income.yaml': incomeOn('income.sql'),
    }
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh], gitOf([snippet]))
    expect(attempts).toMatchObject([{ outcome: 'accepted', title: `revenue: ${snippet} was deleted` }])
    expect(text(metric)).toBe(clean(metric))
  })
})
