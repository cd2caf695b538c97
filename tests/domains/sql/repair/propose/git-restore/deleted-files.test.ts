import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../../src/benchmark/case.js'
import type { History, PreviousVersion } from '../../../../../../src/domains/sql/repair/model/history.js'
import { noHistory, repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSg, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()

const snippet = 'kb/snippets/revenue.sql'
const metric = 'kb/metrics/revenue.yaml'
const by = 'commit 1a2b3c0'
const clean = (path: string): string => shop[path] ?? ''

/** What git tells of files that one commit deleted; `older` are texts from before that, newest first. */
function gitOf(
  deleted: readonly string[],
  more: Partial<History> = {},
  older: Readonly<Record<string, string>> = {},
) {
  const states = (path: string): PreviousVersion[] => [
    ...(deleted.includes(path) ? [{ text: clean(path), by }] : []),
    ...(older[path] === undefined ? [] : [{ text: older[path], by: 'commit 0000000' }]),
  ]
  const history: History = {
    ...noHistory,
    versionsOf: async (path) => states(path),
    ...more,
  }
  const removedLines = deleted.flatMap((path) =>
    clean(path)
      .trimEnd()
      .split('\n')
      .map((text) => ({ path, text, by })),
  )
  return { history, removedLines }
}

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

describe('a deleted file stays away', () => {
  const refused = async (
    files: Readonly<Record<string, string>>,
    cases: readonly SqlCase[],
    git: Partial<ReturnType<typeof gitOf>>,
  ): Promise<string | undefined> => {
    const { result } = await repair(warehouse, files, cases, git)
    expect(result.accepted).toEqual([])
    return result.findings.get(cases[0]?.id ?? '')?.cause
  }

  it('where the commit that deleted it took another case of its metric away', async () => {
    const cause = await refused(
      without(metric),
      [revenueId, taxId],
      gitOf([metric], { casesChangedBy: async () => [revenueTh] }),
    )
    expect(cause).toBe(`it expects ${metric} as it was before ${by}, which removed case revenue_th`)
  })

  it('and no case of the metric whose name is a part of its own contradicts it', async () => {
    const net = 'kb/snippets/net.sql'
    const netMetric = 'kb/metrics/net.yaml'
    const netId = {
      ...revenueId,
      id: 'net_id',
      question: 'ID net revenue in November 2025',
      expectedSql: revenueId.expectedSql.replace('sum(amount)', 'sum(amount - tax)'),
    }
    const previous: Readonly<Record<string, string>> = {
      [net]: clean(snippet).replace('sum(amount)', 'sum(amount - tax)'),
      [netMetric]: incomeOn('net.sql').replace('[income]', '[net revenue]'),
    }
    const { history } = gitOf([], { casesChangedBy: async () => [{ ...netId, id: 'net_th' }] })
    const cause = await refused({ ...shop }, [netId, revenueId, revenueTh], {
      history: { ...history, versionsOf: async (path) => [{ text: previous[path] ?? '', by }] },
      removedLines: Object.entries(previous).flatMap(([path, text]) =>
        text.split('\n').map((line) => ({ path, text: line, by })),
      ),
    })
    expect(cause).toBe(`it expects ${net} as it was before ${by}, which removed case net_th`)
  })

  it('where that commit gave what it said to another metric', async () => {
    const path = 'kb/snippets/income.sql'
    const files = {
      ...without(snippet, metric),
      [path]: `-- of shops\n${clean(snippet)}`,
      'kb/metrics/income.yaml': incomeOn('income.sql'),
    }
    const knowledgeChangedBy = async () => [{ path, before: undefined, after: files[path] }]
    const intake = { ...revenueId, question: 'ID turnover in November 2025' }
    const { result } = await repair(
      warehouse,
      files,
      [intake],
      gitOf([snippet, metric], { knowledgeChangedBy }),
    )
    expect(result.snapshot.files.has(metric)).toBe(false)
  })

  it('where one case asks for it, and most of its lines went to another file', async () => {
    const path = 'kb/snippets/net.sql'
    const net = clean(snippet).replace('sum(amount)', 'sum(amount - tax)')
    const files = { ...without(snippet, metric), [path]: net, 'kb/metrics/net.yaml': incomeOn('net.sql') }
    const knowledgeChangedBy = async () => [
      { path: snippet, before: clean(snippet), after: undefined },
      { path, before: undefined, after: net },
    ]
    const git = gitOf([snippet, metric], { knowledgeChangedBy })
    expect(await refused(files, [revenueId, taxId], git)).toContain(
      `only one case supports restoring ${snippet}, which ${by} replaced with ${path}`,
    )
    const { attempts } = await repair(warehouse, files, [revenueId, revenueTh], git)
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  })

  it('where one case asks for it, and a note written since says something of it', async () => {
    const note = 'kb/notes/finance.md'
    const was = 'Turnover is what was paid.'
    const files = { ...without(metric), [note]: `# Finance\n\n${was}\nRevenue is no longer reported.\n` }
    const git = gitOf([metric], { textAfter: async () => `# Finance\n\n${was}\n` })
    expect(await refused(files, [revenueId, taxId], git)).toContain(
      `only one case supports restoring it, and since ${by} a note says: "Revenue is no longer reported."`,
    )
    const before = gitOf([metric], { textAfter: async () => files[note] })
    const { attempts } = await repair(warehouse, files, [revenueId, taxId], before)
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('where no case expects what it said', async () => {
    const other = { ...revenueId, expectedSql: revenueId.expectedSql.replace('sum', 'max') }
    expect(await refused(without(metric), [other], gitOf([metric]))).toContain(`${metric} was deleted`)
  })

  it('where git knows nothing of it', async () => {
    expect(await refused(without(metric), [revenueId], {})).toContain('no metric matches the expected')
  })

  it('where its words are not those of the question', async () => {
    const visits = caseOf('visits_id', 'ID visits in November 2025', 'SELECT count(*) FROM visits')
    expect(await refused(without(metric), [visits], gitOf([metric]))).not.toContain('was deleted')
  })
})
