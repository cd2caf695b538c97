import { describe, expect, it } from 'vitest'
import { noHistory, repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()

const path = 'kb/metrics/revenue.yaml'
const clean = shop[path] ?? ''
const by = 'commit 1a2b3c4'
const known = (text = clean) => ({
  history: {
    ...noHistory,
    versionsOf: async (of: string) => (of === path ? [{ text, by }] : []),
    changes: async () => [{ by, paths: [path] }],
    knowledgeChangedBy: async () => [{ path, before: text, after: undefined }],
  },
  removedLines: text.split('\n').map((line) => ({ path, text: line, by })),
})

describe('a metric file that cannot be used comes back as git has it', () => {
  it.each([
    ['no snippet', ['snippet: revenue.sql\n', '']],
    ['a parameter by another name', ['market:', 'country:']],
    ['a parameter less', [/ {2}market: .*\n/, '']],
    ['no period', [/ {2}period: .*\n/, '']],
    ['the end of the file gone', [/, SG: [\s\S]*$/, ' } }\n']],
    ['a type that there is not', ['type: enum', 'type: enmu']],
    ['no parameters', [/parameters:\n( {2}.*\n)+/, '']],
    ['a default that is not one of the values', ['type: enum, ', 'type: enum, default: XX, ']],
  ] as const)('%s', async (_what, [from, to]) => {
    const files = shopWith({ [path]: clean.replace(from, to) })
    expect(files[path]).not.toBe(clean)
    const { attempts, text, result } = await repair(warehouse, files, [revenueId, revenueTh, taxId], known())
    expect(attempts, result.findings.get('revenue_id')?.cause).toMatchObject([
      { outcome: 'accepted', label: 'broken_entry', grade: 'E2', cases: ['revenue_id', 'revenue_th'] },
    ])
    expect(attempts[0]?.title).toBe(`revenue: as it was before ${by}`)
    expect(text(path)).toBe(clean)
  })

  it('with what is wrong in its snippet as well, in one plan', async () => {
    const snippet = 'kb/snippets/revenue.sql'
    const files = {
      ...shopWith({ [snippet]: ["  AND status = 'paid'\n", ''] }),
      [path]: clean.replace('type: enum', 'type: enmu'),
    }
    const { attempts, text } = await repair(warehouse, files, [revenueId, revenueTh, taxId], known())
    expect(attempts).toMatchObject([
      {
        title: `revenue: filter status = 'paid' was missing; ${path} as it was before ${by}`,
        outcome: 'accepted',
        grade: 'E2',
        evidence: { heldOut: { passed: 2, of: 2 } },
      },
    ])
    expect([text(path), text(snippet)]).toEqual([clean, shop[snippet]])
  })

  it('except with a snippet that no rule repairs', async () => {
    const snippet = 'kb/snippets/revenue.sql'
    const files = {
      ...shop,
      [snippet]: 'SELECT count(*) FROM visits WHERE market = {{ market }} AND day > {{ period.start }}\n',
      [path]: clean.replace('type: enum', 'type: enmu'),
    }
    const cases = [revenueId, { ...revenueTh, expectedSql: revenueTh.expectedSql.replace('amount', 'tax') }]
    const { result } = await repair(warehouse, files, cases, known())
    expect(result.accepted).toEqual([])
  })

  it('without what else was changed since', async () => {
    const original = clean.replace('Turnover of paid sales', 'Sales')
    const files = shopWith({ [path]: clean.replace('type: enum', 'type: enmu') })
    const { text } = await repair(warehouse, files, [revenueId, revenueTh], known(original))
    expect(text(path)).toBe(clean)
  })
})

it('goes to a person where git has nothing of it that can be used, with its place', async () => {
  const files = shopWith({ [path]: clean.replace('type: enum', 'type: enmu') })
  for (const history of [{}, known('- no\n- metric\n'), known(clean.replace('snippet:', 'snip:'))]) {
    const { result } = await repair(warehouse, files, [revenueId, revenueTh], history)
    expect(result.accepted).toEqual([])
    expect(result.findings.get('revenue_id')).toMatchObject({
      label: 'broken_entry',
      cause: expect.stringMatching(/metric revenue cannot be used: kb\/metrics\/revenue\.yaml:\d+:\d+/),
    })
  }
})
