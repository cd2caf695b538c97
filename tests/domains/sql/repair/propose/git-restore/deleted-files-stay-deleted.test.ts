import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../../src/benchmark/case.js'
import type { History } from '../../../../../../src/domains/sql/repair/model/knowledge-history.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueTh, shop, shopWith, taxId } from '../../shop.js'
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

describe('a deleted file stays deleted', () => {
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
    expect(cause).toBe(`changed on purpose: ${by} removed case revenue_th`)
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
    expect(cause).toBe(`changed on purpose: ${by} removed case net_th`)
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

  it('where a note written since says something of it', async () => {
    const note = 'kb/notes/finance.md'
    const files = {
      ...without(metric),
      [note]: '# Finance\n\nTurnover is what was paid.\nRevenue is no longer reported.\n',
    }
    const later = { by: 'commit 9f8e7d6', date: '2025-11-20', subject: 'notes' }
    const written = (line: number): Partial<History> => ({
      commitsAfter: async () => [later],
      lineOrigins: async () =>
        Array.from({ length: 5 }, (_, index) =>
          index === line ? { kind: 'commit' as const, by: later.by } : { kind: 'unknown' as const },
        ),
    })
    expect(await refused(files, [revenueId, taxId], gitOf([metric], written(3)))).toBe(
      `changed on purpose by ${by}: ${note}:4 says "Revenue is no longer reported"`,
    )
    // Written before it was deleted, or nobody can tell when, it says nothing about that.
    const { attempts } = await repair(warehouse, files, [revenueId, taxId], gitOf([metric], written(0)))
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('where no case expects what it said', async () => {
    const other = { ...revenueId, expectedSql: revenueId.expectedSql.replace('sum', 'max') }
    expect(await refused(without(metric), [other], gitOf([metric]))).toContain(`${metric} was deleted`)
  })

  it('where git knows nothing of it', async () => {
    expect(await refused(without(metric), [revenueId], {})).toContain(
      'of no metric is the query provably the expected one',
    )
  })

  it('where its words are not those of the question', async () => {
    const visits = caseOf('visits_id', 'ID visits in November 2025', 'SELECT count(*) FROM visits')
    expect(await refused(without(metric), [visits], gitOf([metric]))).not.toContain('was deleted')
  })
})
