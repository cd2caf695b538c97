import { describe, expect, it } from 'vitest'
import { fixedTexts } from '../../../../../../src/domains/sql/repair/propose/rules/fix-placeholders.js'
import { parseFiles } from '../../../../../kb/knowledge-files.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()
const path = 'kb/snippets/revenue.sql'
const metric = 'kb/metrics/revenue.yaml'

describe('a typo in a placeholder is repaired without git', () => {
  it.each([
    ['a name that is no parameter', '{{ market }}', '{{ country }}'],
    ['a misspelt name', '{{ market }}', '{{ markte }}'],
    ['a property that there is not', '{{ period.start }}', '{{ period.begin }}'],
    ['a misspelt property', '{{ period.end }}', '{{ period.edn }}'],
    ['no property', '{{ period.start }}', '{{ period }}'],
    ['a property too many', '{{ market }}', '{{ market.code }}'],
    ['another name of the period', '{{ period.end }}', '{{ dates.end }}'],
    ['quotes', '{{ market }}', "'{{ market }}'"],
    ['a brace less', '{{ market }}', '{{ market }'],
    ['one pair of braces', '{{ market }}', '{ market }'],
  ])('%s', async (_what, from, to) => {
    const files = shopWith({ [path]: [from, to] })
    const { attempts, text, result } = await repair(warehouse, files, [revenueId, revenueTh, taxId])
    expect(attempts, result.findings.get('revenue_id')?.cause).toMatchObject([
      { outcome: 'accepted', grade: 'E2', cases: ['revenue_id', 'revenue_th'] },
    ])
    expect(text(path)).toBe(shop[path])
  })

  it('a parameter that has another name in the metric', async () => {
    const files = shopWith({ [metric]: ['market:', 'country:'] })
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh, taxId])
    expect(attempts).toMatchObject([
      { title: 'revenue: {{ country }} instead of {{ market }}', label: 'broken_entry', outcome: 'accepted' },
    ])
    expect(text(path)).toContain('WHERE market = {{ country }}\n')
  })

  it('not where no name gives what is expected, and the place is reported', async () => {
    const files = shopWith({ [path]: ['WHERE market = {{ market }}', 'WHERE channel = {{ country }}'] })
    const { result } = await repair(warehouse, files, [revenueId, revenueTh])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')?.cause).toMatch(
      /kb\/snippets\/revenue\.sql:3:17: placeholder \{\{ country \}\} is not a parameter/,
    )
  })
})

describe('texts that are tried', () => {
  const [revenue] = parseFiles(shop).metrics.filter(({ name }) => name === 'revenue')
  const tried = (text: string): string[] => (revenue === undefined ? [] : fixedTexts(text, revenue))

  it('are none where nothing is wrong, or too much', () => {
    expect(tried('SELECT {{ market }}, {{ period.days }}')).toEqual([])
    const many = Array.from({ length: 7 }, (_, at) => `{{ no${at} }}`).join(' ')
    expect(tried(many)).toEqual([])
  })

  it('leave a struct and a JSON text alone', () => {
    expect(tried(`SELECT {a: 1}, '{"x": {"y": 1}}', {{ market }}`)).toEqual([])
  })

  it('begin with the nearest name, and go on with those that the snippet does not use', () => {
    expect(tried('{{ markets }} {{ period.start }}')[0]).toBe('{{ market }} {{ period.start }}')
    expect(tried('{{x}} {{ period.start }}')[0]).toBe('{{market}} {{ period.start }}')
  })
})
