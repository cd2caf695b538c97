import { describe, expect, it } from 'vitest'
import type { RepairPlan } from '../../../../../src/domains/sql/repair/model/sql-repair-types.js'
import { applyEdits } from '../../../../../src/edit/apply-edits.js'
import type { Edit } from '../../../../../src/edit/edit-types.js'
import { validatePlan } from '../../../../../src/repair/validate/validate-plan.js'
import { snapshotOf } from '../../../../kb/knowledge-files.js'
import { loopInputOf, warehouseForTests } from '../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const metric = 'kb/metrics/revenue.yaml'
const noStatus = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })

function verdict(
  edits: readonly Edit[],
  { files = noStatus, cases = [revenueId], seen = new Map<string, string>() } = {},
): string {
  const plan: RepairPlan = {
    label: 'wrong_definition',
    subject: 'metric revenue',
    title: 'hand-made',
    reasoning: '',
    edits,
    cases,
    goldExposed: true,
    size: 1,
    signature: '',
  }
  const snapshot = snapshotOf(files)
  const outcome = validatePlan(plan, { snapshot, seen }, false, loopInputOf(warehouse, snapshot, cases))
  return outcome.kind === 'valid' ? 'valid' : outcome.reason
}

function text(search: string, replace: string, path = revenue): Edit[] {
  return [{ kind: 'edit_snippet', path, search, replace }]
}

function alias(value: string): Edit[] {
  return [
    {
      kind: 'edit_metric',
      path: metric,
      entry: 'metric:revenue',
      action: 'append',
      at: ['aliases'],
      expected: ['revenue', 'turnover'],
      value,
    },
  ]
}

describe('validatePlan with the SQL validator', () => {
  it('accepts structure that all cases share', () => {
    expect(verdict(text('is_test = 0', "is_test = 0 AND status = 'paid'"))).toBe('valid')
  })

  it('refuses the value of the question in place of its placeholder', () => {
    expect(verdict(text('market = {{ market }}', "market = 'ID'"))).toMatch(/market/)
    expect(verdict(text('is_test = 0', "is_test = 0 AND market = 'ID'"))).toContain(
      'belongs in a placeholder',
    )
  })

  it('refuses the days, the month and the year of the question', () => {
    for (const literal of ["'2025-11-01'", "'2025-11-30'", "'2025-12-01'", "'2025-11'", "'2025'", '2025'])
      expect(verdict(text('is_test = 0', `is_test = 0 AND day >= ${literal}`))).toContain(
        'belongs in a placeholder',
      )
  })

  it('refuses a number that the question gives', () => {
    const files = shopWith({ 'kb/snippets/units.sql': ['LIMIT {{ n }}', 'LIMIT {{ n }} + 0'] })
    const asked = caseOf(
      'u',
      'top 7 units sold in ID in November 2025 by channel',
      `SELECT channel, sum(units) FROM sales WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30' GROUP BY 1 ORDER BY 2 DESC LIMIT 7`,
    )
    const edit = text('LIMIT {{ n }} + 0', 'LIMIT {{ n }} * 0 + 7', 'kb/snippets/units.sql')
    expect(verdict(edit, { files, cases: [asked] })).toContain('7 or {{ n }}: every case asks for 7')
    const none = shopWith({ 'kb/snippets/units.sql': ['{{ n }}', '3'] })
    const given = text('LIMIT 3', 'LIMIT 7', 'kb/snippets/units.sql')
    expect(verdict(given, { files: none, cases: [asked] })).toContain('literal 7 is the value of n')
  })

  it('refuses CASE WHEN on the binding', () => {
    const cheat = text('sum(amount)', "CASE WHEN {{ market }} = 'ID' THEN 1234 ELSE sum(amount) END")
    expect(verdict(cheat)).toMatch(/'ID'|1234/)
    const other = text('sum(amount)', "CASE WHEN {{ market }} <> 'TH' THEN sum(tax) ELSE sum(amount) END")
    expect(verdict(other)).toContain("unexplained literal 'TH'")
  })

  it('refuses the expected query pasted whole', () => {
    expect(verdict(text(noStatus[revenue] ?? '', revenueId.expectedSql))).not.toBe('valid')
    const withPlaceholders = `${revenueId.expectedSql} AND {{ market }} = {{ market }} AND {{ period.start }} <= {{ period.end }}`
    expect(verdict(text(noStatus[revenue] ?? '', withPlaceholders))).toContain('belongs in a placeholder')
  })

  it('refuses a literal that not all cases share', () => {
    const web = {
      ...revenueId,
      expectedSql: revenueSql('ID', '2025-11-01', '2025-11-30', " AND channel = 'web'"),
    }
    const edit = text('is_test = 0', "is_test = 0 AND channel = 'web'")
    expect(verdict(edit, { cases: [web] })).toBe('valid')
    expect(verdict(edit, { cases: [web, revenueTh] })).toBe(
      "unexplained literal 'web': case revenue_th does not share it",
    )
  })

  it('refuses to empty a snippet or to take a metric’s parts away', () => {
    expect(verdict(text(noStatus[revenue] ?? '', ''))).not.toBe('valid')
    const remove = { kind: 'edit_metric', path: metric, entry: 'metric:revenue', action: 'remove' } as const
    expect(verdict([{ ...remove, at: ['snippet'], expected: 'revenue.sql' }])).not.toBe('valid')
  })

  it('refuses what was tried before, and what changes nothing', () => {
    const edits = text('is_test = 0', "is_test = 0 AND status = 'paid'")
    const seen = new Map([
      [applyEdits(snapshotOf(noStatus), edits).hash, 'the same knowledge was tried before'],
    ])
    expect(verdict(edits, { seen })).toBe('the same knowledge was tried before')
    expect(verdict([...text('AND is_test = 0', 'AND 1 = 1'), ...text('AND 1 = 1', 'AND is_test = 0')])).toBe(
      'the edit changes nothing',
    )
  })

  it('refuses files outside the knowledge base, of other kinds, and edits that do not fit', () => {
    const sql = 'SELECT day FROM sales'
    expect(verdict([{ kind: 'create_snippet', path: 'kb/snippets/b.sql', text: sql }])).toBe('valid')
    expect(verdict([{ kind: 'create_snippet', path: 'benchmarks/b.sql', text: sql }])).not.toBe('valid')
    expect(verdict([{ kind: 'create_snippet', path: 'kb/../agents/x.sql', text: sql }])).not.toBe('valid')
    expect(verdict([{ kind: 'create_snippet', path: 'kb/snippets/x.js', text: sql }])).not.toBe('valid')
    expect(verdict(text('no such text', 'x'))).toContain(revenue)
    const large = `-- ${'x'.repeat(300_000)}\nAND is_test = 0`
    expect(verdict(text('AND is_test = 0', large))).toContain('larger than 256 KB')
  })

  it('refuses a snippet with a placeholder that the metric does not declare', () => {
    expect(verdict(text('is_test = 0', 'is_test = {{ test }}'))).toContain('test')
  })

  it('refuses aliases that are not short words of the question', () => {
    const asked = caseOf('a', 'money earned by all our shops in ID in November 2025', revenueId.expectedSql)
    const cases = [asked]
    expect(verdict(alias('money earned'), { cases })).toBe('valid')
    expect(verdict(alias('income'), { cases })).toContain('not a span of the question')
    expect(verdict(alias('money earned by all our'), { cases })).toContain('longer than 4 words')
    expect(verdict(alias(asked.question), { cases })).toContain('longer than 4 words')
    expect(verdict(alias('shops in ID'), { cases })).toContain('contains the value "ID"')
    expect(verdict(alias('in November 2025'), { cases })).toContain('contains the value "in November 2025"')
    const files = shopWith({ 'kb/metrics/tax.yaml': ['aliases: [tax]', 'aliases: [tax, money earned]'] })
    expect(verdict(alias('money earned'), { cases, files })).toContain('also means metric revenue')
  })
})
