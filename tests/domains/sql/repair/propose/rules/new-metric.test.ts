import { describe, expect, it } from 'vitest'
import { parseKnowledgeBase } from '../../../../../../src/kb/parse.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { scripted } from '../../scripted-proposer.js'
import { caseOf, revenueId, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()

const buyersSql = (market: string, start: string, end: string, more = ''): string =>
  `SELECT count(DISTINCT units) AS kinds\nFROM sales\nWHERE market = '${market}'\n  AND day BETWEEN '${start}' AND '${end}'${more}`
const basketId = caseOf(
  'b_id',
  'basket kinds of ID in November 2025',
  buyersSql('ID', '2025-11-01', '2025-11-30', ' AND amount > 400'),
)
const basketTh = caseOf(
  'b_th',
  'TH basket kinds in Q1 2025',
  buyersSql('TH', '2025-01-01', '2025-03-31', ' AND amount > 400'),
)
const metricPath = 'kb/metrics/basket_kinds.yaml'
const snippetPath = 'kb/snippets/basket_kinds.sql'

describe('a new metric', () => {
  it('is made from two cases that name it by the same words', async () => {
    const { attempts, result, text } = await repair(warehouse, shop, [basketId, basketTh, revenueId])
    expect(attempts).toMatchObject([{ label: 'missing_definition', outcome: 'accepted', grade: 'E2' }])
    expect(attempts[0]?.edits.map(({ kind, file }) => [kind, file])).toEqual([
      ['create_metric', metricPath],
      ['create_snippet', snippetPath],
    ])
    expect(text(snippetPath)).toBe(
      'SELECT count(DISTINCT units) AS kinds\nFROM sales\nWHERE market = {{ market }}\n  AND day BETWEEN {{ period.start }} AND {{ period.end }} AND amount > 400\n',
    )
    expect(text(metricPath)).toBe(`metric: basket_kinds
title: Basket kinds
aliases: [basket kinds]
snippet: basket_kinds.sql
parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], PH: [Philippines], SG: [Singapore], MY: [Malaysia], VN: [Vietnam], BN: [Brunei] } }
  period: { type: date_range }
`)
    expect(parseKnowledgeBase(result.snapshot, 'kb').problems).toEqual([])
  })

  it('uses the snippet of its name that no metric has', async () => {
    const files = shopWith({ 'kb/metrics/tax.yaml': null })
    const more = caseOf(
      'tax_sg',
      'SG tax in May 2025',
      taxId.expectedSql.replace("'ID'", "'SG'").replaceAll(/2025-10-(\d\d)/g, '2025-05-$1'),
    )
    const { attempts, text } = await repair(warehouse, files, [taxId, more, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(text('kb/metrics/tax.yaml')).toContain('aliases: [tax]\nsnippet: tax.sql\n')
    expect(text('kb/snippets/tax.sql')).toBe(shop['kb/snippets/tax.sql'])
  })

  it('is not made from one case', async () => {
    const { attempts, result } = await repair(warehouse, shop, [basketId, revenueId])
    expect(attempts).toEqual([])
    expect(result.findings.get('b_id')?.label).toBe('missing_definition')
  })

  it('is not made from the same question asked twice', async () => {
    const again = { ...basketId, id: 'again', question: 'Basket kinds of ID, in November 2025?' }
    const { result } = await repair(warehouse, shop, [basketId, again, revenueId])
    expect(result.accepted).toEqual([])
  })

  it('is not made where the same words mean different queries', async () => {
    const other = { ...basketTh, expectedSql: basketTh.expectedSql.replace('> 400', '> 500') }
    const { attempts, result } = await repair(warehouse, shop, [basketId, other, revenueId])
    expect(attempts).toEqual([])
    expect(result.findings.get('b_id')?.label).toBe('missing_definition')
  })

  it('is not made where a value of the question is not in the query', async () => {
    const anywhere = [basketId, basketTh].map((each) => ({
      ...each,
      expectedSql: each.expectedSql.replace(/market = '..'\n {2}AND /, ''),
    }))
    const { attempts } = await repair(warehouse, shop, [...anywhere, revenueTh])
    expect(attempts).toEqual([])
  })

  it('is left to a person where one of its cases was named by the user', async () => {
    const named = new Set(['b_id', 'b_th'])
    const { result } = await repair(warehouse, shop, [basketId, basketTh, revenueId], { named })
    expect(result.accepted).toEqual([])
    expect(result.findings.get('b_id')?.cause).toContain('only one case supports the new metric')
  })
})

describe('a new metric whose query has a word of its name', () => {
  const cancelledSql = (market: string, start: string, end: string): string =>
    `SELECT count(*) AS sales FROM sales WHERE market = '${market}' AND day BETWEEN '${start}' AND '${end}' AND status = 'cancelled'`
  const november = caseOf(
    'c_id',
    'cancelled baskets of ID in November 2025',
    cancelledSql('ID', '2025-11-01', '2025-11-30'),
  )
  const spring = caseOf(
    'c_th',
    'TH cancelled baskets in Q1 2025',
    cancelledSql('TH', '2025-01-01', '2025-03-31'),
  )
  const snippet = 'kb/snippets/cancelled.sql'
  const parameters = (market: string) => `parameters:\n  market: ${market}\n  period: { type: date_range }\n`
  const create = (sql: string, alias = 'cancelled baskets', market = '{ type: enum, values: [ID, TH] }') => [
    { kind: 'create_snippet' as const, path: snippet, text: `${sql}\n` },
    {
      kind: 'create_metric' as const,
      path: 'kb/metrics/cancelled.yaml',
      text: `metric: cancelled\naliases: [${alias}]\nsnippet: cancelled.sql\n${parameters(market)}`,
    },
  ]
  const good = `SELECT count(*) AS sales FROM sales WHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }} AND status = 'cancelled'`
  const withModel = (edits: ReturnType<typeof create>, cases = [november, spring, revenueId]) =>
    repair(warehouse, shop, cases, { rules: false, maxRetries: 1, proposer: scripted(() => edits) })

  it('is written by the rules from two cases', async () => {
    const { attempts, text } = await repair(warehouse, shop, [november, spring, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(text('kb/snippets/cancelled_baskets.sql')).toContain("status = 'cancelled'")
  })

  it('is written as a model has it, where a held-out case asks for the same', async () => {
    const { attempts, text } = await withModel(create(good))
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(text(snippet)).toBe(`${good}\n`)
  })

  it('waits for a second case, and says so', async () => {
    const { attempts, result } = await withModel(create(good), [november, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'rejected' }])
    expect(result.findings.get('c_id')?.cause).toMatch(/: a second case .*is needed$/)
  })

  it('holds no value that other metrics know, in its query or its name', async () => {
    const both = [
      november,
      {
        ...spring,
        question: 'cancelled baskets of ID in Q1 2025',
        expectedSql: cancelledSql('ID', '2025-01-01', '2025-03-31'),
      },
      revenueId,
    ]
    const fixed = good.replace('{{ market }}', "'ID'")
    const unfollowed = create(fixed).map((edit) => ({
      ...edit,
      text: edit.text.replace(/ {2}market: .*\n/, ''),
    }))
    const hard = await withModel(unfollowed, both)
    expect(hard.result.accepted).toEqual([])
    expect(hard.result.findings.get('c_id')?.cause).toContain("literal 'ID' is the value of market")
    const named = create(fixed, 'cancelled baskets of ID').map((edit) => ({
      ...edit,
      text: edit.text.replace(/ {2}market: .*\n/, ''),
    }))
    const inName = await withModel(named, both)
    expect(inName.result.accepted).toEqual([])
    expect(inName.result.findings.get('c_id')?.cause).toMatch(
      /is the value of market|contains the value "ID"/,
    )
  })
})
