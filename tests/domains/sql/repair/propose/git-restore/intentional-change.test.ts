import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../../src/benchmark/case.js'
import type { PreviousQuery } from '../../../../../../src/domains/sql/repair/model/knowledge-history.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueTh, shop, taxId } from '../../shop.js'
import { clean, historyOf, id, metric, snippet, th, unpaid } from './shop-history.js'

const warehouse = warehouseForTests()

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

  it('where no earlier text gives what is expected', async () => {
    const texts = { [snippet]: ['', 'SELECT', clean(snippet).replace('sum(amount)', 'sum(tax)')] }
    expect(await untouched(unpaid, [id], historyOf(texts))).toContain('does not match the expected query')
  })

  it('where the same change gave another case of the metric its query: this case was not updated', async () => {
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

  it('where the same change gave the earlier text to another metric, however many cases ask for it', async () => {
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
    'where the change said what it did in %s, and one case alone asks for the earlier text',
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
    const previous: PreviousQuery = {
      question: id.question,
      sql: id.expectedSql.replaceAll(" AND status = 'paid'", ''),
      by: 'commit 9f8e7d6',
    }
    const cause = await untouched(unpaid, [id], historyOf(before, { queriesOf: async () => [previous] }))
    expect(cause).toContain(
      'commit 9f8e7d6 modified its expected query; metric revenue matches the previous one',
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
    expect(await untouched(shop, [old], historyOf({ [snippet]: [then] }))).toContain('only one case supports')
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
