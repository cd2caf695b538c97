import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../../src/benchmark/case.js'
import type { PreviousQuery } from '../../../../../../src/domains/sql/repair/model/knowledge-history.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueTh, shop } from '../../shop.js'
import { clean, historyOf, id, snippet, unpaid } from './shop-history.js'

const warehouse = warehouseForTests()

describe('a former text does not come back', () => {
  const untouched = async (
    files: Readonly<Record<string, string>>,
    cases: readonly SqlCase[],
    history: ReturnType<typeof historyOf>,
  ): Promise<string | undefined> => {
    const { result } = await repair(warehouse, files, cases, history)
    expect(result.accepted).toEqual([])
    return result.findings.get('revenue_id')?.cause
  }
  /** The condition is sought in the expected query instead; nothing of git is in the text. */
  const soughtInstead = async (texts: Parameters<typeof historyOf>[0]): Promise<void> => {
    const { result, text } = await repair(warehouse, unpaid, [id], historyOf(texts))
    expect(result.accepted.map(({ attempt }) => attempt.commit)).toEqual([undefined])
    expect(text(snippet)).toBe(`${unpaid[snippet]?.trimEnd()}\n  AND status = 'paid'\n`)
  }
  const before = { [snippet]: [clean(snippet)] }

  it('where no earlier text gives what is expected', async () => {
    const texts = { [snippet]: ['', 'SELECT', clean(snippet).replace('sum(amount)', 'sum(tax)')] }
    await soughtInstead(texts)
  })

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
    const { result, text } = await repair(warehouse, unpaid, [id], historyOf({ [snippet]: [fixed] }))
    expect(result.accepted).toHaveLength(1)
    // Only what was lost comes back, at its place.
    expect(text(snippet)).toBe(clean(snippet))
    const onOneLine = fixed
      .replace("market = 'ID'", "market = 'ID' AND status = 'paid'")
      .replace("  AND status = 'paid'\n", '')
    await soughtInstead({ [snippet]: [onOneLine] })
  })

  it('where the rules are not to repair', async () => {
    const { attempts } = await repair(warehouse, unpaid, [id], { ...historyOf(before), rules: false })
    expect(attempts).toEqual([])
  })
})
