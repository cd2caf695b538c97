import { describe, expect, it } from 'vitest'
import { findIntendedTerm } from '../../../../../../src/domains/sql/repair/decide/single-example-checks/typo-detection.js'
import { parseKnowledgeBase } from '../../../../../../src/kb/parse.js'
import { snapshotOf } from '../../../../../kb/knowledge-files.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop, shopWith, taxSql } from '../../shop.js'

const revenue = 'kb/metrics/revenue.yaml'
const files = shopWith({ [revenue]: ['[revenue, turnover]', '[revenue, net sales turnover, e-mail income]'] })

describe('findIntendedTerm', () => {
  const kb = parseKnowledgeBase(
    snapshotOf({ ...files, 'kb/notes/n.md': 'A salesman has a saled sheet.' }),
    'kb',
  )

  it.each([
    ['turnovr', undefined],
    ['revenu', 'revenue'],
    ['net sales trunover', 'net sales turnover'],
    ['nett sales turnover', undefined],
    ['net sakes turnover', 'net sales turnover'],
    ['Thailnd', 'Thailand'],
    ['by chanel', 'by channel'],
  ])('"%s" reads like %s', (phrase, like) => {
    expect(findIntendedTerm(phrase, kb)).toBe(like)
  })

  it.each([
    'revenue',
    'revenues',
    'revenuer',
    'email income',
    'net sales',
    'sales turnover',
    'net saled turnover',
    'tan',
  ])('"%s" is not a typo', (phrase) => {
    expect(findIntendedTerm(phrase, kb)).toBeUndefined()
  })
})

describe('a word that is misspelt in a question', () => {
  const warehouse = warehouseForTests()
  const sqlOf = (month: string) => revenueSql('ID', `2025-${month}-01`, `2025-${month}-30`)
  const misspelt = caseOf('misspelt', 'net sales turnovers of ID in June 2025', sqlOf('06'))
  const one = { ...misspelt, question: 'net sales turnovre of ID in June 2025' }

  it('is not learned from one case, and the cause says what it reads like', async () => {
    const { result, text } = await repair(warehouse, files, [one, revenueId])
    expect(text(revenue)).toBe(files[revenue])
    expect(result.findings.get('misspelt')).toMatchObject({ label: 'missing_alias', repairId: undefined })
    expect(result.findings.get('misspelt')?.cause).toContain(
      'only one case uses "net sales turnovre", and the knowledge base has "net sales turnover": one looks like a typo of the other: a second case is needed',
    )
  })

  it('is learned from two cases', async () => {
    const other = caseOf('other', 'net sales turnovre of ID in April 2025', sqlOf('04'))
    const { attempts } = await repair(warehouse, files, [one, other, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
  })

  it('is not a word in the plural, which is learned', async () => {
    const { attempts } = await repair(warehouse, files, [misspelt, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
  })

  it('is learned where the question of another metric has it too: the knowledge base has the typo', async () => {
    const wrong = shopWith({
      [revenue]: ['[Thailand]', '[Thailnd]'],
      'kb/metrics/tax.yaml': ['[Thailand]', '[Thailnd]'],
      'kb/metrics/units.yaml': ['[Thailand]', '[Thailnd]'],
    })
    const other = caseOf('other', 'tax of Thailand in May 2025', taxSql('TH', '2025-05-01', '2025-05-31'))
    const { attempts } = await repair(warehouse, wrong, [revenueTh, other, revenueId])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }])
  })

  it('is not learned as a word of a value either', async () => {
    const value = caseOf('value', 'revenue of Thailnd in August 2025', revenueTh.expectedSql)
    const { result } = await repair(warehouse, shop, [value, revenueId])
    expect(result.accepted).toEqual([])
    expect(result.findings.get('value')?.cause).toContain(
      'uses "Thailnd", and the knowledge base has "Thailand"',
    )
  })
})
