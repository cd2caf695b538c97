import { describe, expect, it } from 'vitest'
import type { Edit, YamlValue } from '../../../../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../../repair-in-memory.js'
import { scripted } from '../../scripted-proposer.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop, shopWith, taxId } from '../../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const metric = 'kb/metrics/revenue.yaml'
const note = 'kb/notes/money.md'
const remark = '-- agreed with finance: amounts are net\n'
const files: Readonly<Record<string, string>> = {
  ...shopWith({
    [revenue]: [
      "  AND status = 'paid'\n  AND is_test = 0\n",
      `  AND is_test = 0\n${remark}GROUP BY market\n`,
    ],
  }),
  [note]: '# Money\nAmounts are in cents. Refunds count.\n',
}
const cases = [revenueId, revenueTh].map((each) => ({
  ...each,
  expectedSql: `${each.expectedSql} GROUP BY market`,
}))
const filter = 'AND is_test = 0\n'
const right: Edit = {
  kind: 'edit_snippet',
  path: revenue,
  search: filter,
  replace: `${filter}  AND status = 'paid'\n`,
}
const repairedText = files[revenue]?.replace(filter, `${filter}  AND status = 'paid'\n`)

function text(path: string, search: string, replace: string): Edit {
  return { kind: path.endsWith('.md') ? 'edit_note' : 'edit_snippet', path, search, replace }
}

function yaml(
  name: string,
  action: 'set' | 'remove',
  at: readonly (string | number)[],
  expected: YamlValue,
  value?: YamlValue,
): Edit {
  return {
    kind: 'edit_metric',
    path: `kb/metrics/${name}.yaml`,
    entry: `metric:${name}`,
    action,
    at,
    expected,
    value,
  }
}

const extras: readonly (readonly [string, readonly Edit[]])[] = [
  ['another snippet loses a filter', [text('kb/snippets/everything.sql', 'WHERE is_test = 0\n', '')]],
  ['another snippet compares otherwise', [text('kb/snippets/everything.sql', 'is_test = 0', 'is_test >= 0')]],
  ['a value goes', [yaml('revenue', 'remove', ['parameters', 'market', 'values', 'VN'], ['Vietnam'])]],
  [
    'a word of a value goes',
    [yaml('revenue', 'remove', ['parameters', 'market', 'values', 'VN', 0], 'Vietnam')],
  ],
  ['an alias goes from a list', [yaml('units', 'set', ['aliases'], ['units sold'], [])]],
  ['a default goes', [yaml('units', 'remove', ['parameters', 'n', 'default'], 10)]],
  ['a sentence of a note goes', [text(note, 'Refunds count.', '')]],
  [
    'a title is about something else',
    [yaml('revenue', 'set', ['title'], 'Turnover of paid sales', 'Weather')],
  ],
]

async function repairWith(edits: readonly Edit[], of = cases) {
  const proposer = scripted(() => edits)
  return repair(warehouse, files, [...of, taxId], {
    rules: false,
    proposer,
    named: new Set(cases.map(({ id }) => id)),
  })
}

describe('a plan with the right edit and others', () => {
  it.each(extras)('%s: only the right edit is made', async (_name, more) => {
    for (const edits of [
      [right, ...more],
      [...more, right],
    ]) {
      const { attempts, text, result } = await repairWith(edits)
      expect(attempts).toMatchObject([{ outcome: 'accepted' }])
      expect(text(revenue)).toBe(repairedText)
      const changed = Object.keys(files).filter((path) => text(path) !== files[path])
      expect(changed).toEqual([revenue])
      expect(result.accepted[0]?.attempt.reasoning).toContain('were removed')
    }
  })

  it.each([
    ['that do nothing', '(sum(amount)) AS revenue'],
    ['with more behind', 'coalesce(sum(amount), NULL) AS revenue'],
  ])('brackets around what was there and is right go together (%s)', async (_what, instead) => {
    const whole = files[revenue] ?? ''
    const wrapped = (repairedText ?? '').replace('sum(amount) AS revenue', instead)
    expect(wrapped).not.toBe(repairedText)
    const { attempts, text: written } = await repairWith([text(revenue, whole, wrapped)])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(written(revenue)).toBe(repairedText)
  })

  it.each([
    [
      'an alternative of the filter',
      "status = 'paid'",
      "(status = 'paid' OR channel IN (SELECT market FROM sales))",
    ],
    ['an alternative before the filter', "status = 'paid'", "(amount = day OR status = 'paid')"],
    ['two of them', "status = 'paid'", "(amount = day OR status = 'paid' OR status = market)"],
    ['one of several conditions', "status = 'paid'", "(status = 'paid' OR status = market AND amount = day)"],
    [
      'one with a subquery of the day',
      "status = 'paid'",
      "(status = 'paid' OR day < (SELECT min(day) FROM sales))",
    ],
    ['a condition beside it', "status = 'paid'", "status = 'paid' AND (day IS NOT NULL OR amount IS NULL)"],
    ['brackets around it', "status = 'paid'", "((status = 'paid'))"],
    ['an alternative of what was there', 'is_test = 0', '(is_test = 0 OR is_test IS NULL)'],
    [
      'an impossible range',
      'is_test = 0',
      '(is_test = 0 OR day > {{ period.end }} AND day < {{ period.start }})',
    ],
    [
      'a CASE around what was there',
      'sum(amount)',
      'CASE WHEN min(day) > max(day) THEN count(*) ELSE sum(amount) END',
    ],
    ['a CASE within it', 'sum(amount)', 'sum(CASE WHEN amount IS NOT NULL THEN amount END)'],
    ['a range for a value', 'market = {{ market }}', 'market >= {{ market }} AND market <= {{ market }}'],
    ['a function around what was there', 'sum(amount)', 'max(sum(amount), sum(amount))'],
  ])('%s goes: the query is the expected one', async (_what, right, instead) => {
    const whole = files[revenue] ?? ''
    const wrapped = (repairedText ?? '').replace(right, instead)
    expect(wrapped).not.toBe(repairedText)
    const byResults = cases.map((each) => ({ ...each, compare: { policy: 'results' as const } }))
    const { attempts, text: written } = await repairWith([text(revenue, whole, wrapped)], byResults)
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(written(revenue)).toBe(repairedText)
  })

  it('a comment beside the change stays, and so does the layout', async () => {
    const whole = files[revenue] ?? ''
    const flat = (repairedText ?? '').replace(remark, '').replaceAll('\n', ' ')
    const { text: written, attempts } = await repairWith([text(revenue, whole, flat)])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(
      written(revenue)
        ?.split('\n')
        .map((line) => line.trim()),
    ).toEqual(
      expect.arrayContaining(['-- agreed with finance: amounts are net', 'FROM sales', 'GROUP BY market']),
    )
    expect(written(revenue)).toContain("AND status = 'paid'")
  })

  it('a word in the same edit that the cases do without is removed', async () => {
    const more = text(revenue, filter, `${filter}  AND status = 'paid'\n  AND is_test = 0\n`)
    const { text: written, attempts } = await repairWith([more])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(written(revenue)).toBe(repairedText)
  })

  it('what the cases require stays, with a title that says what the query does', async () => {
    const titled = yaml(
      'revenue',
      'set',
      ['title'],
      'Turnover of paid sales',
      'Turnover of paid sales by market',
    )
    const { text: written, attempts } = await repairWith([right, titled])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(written(revenue)).toBe(repairedText)
    expect(written(metric)).toContain('title: Turnover of paid sales by market\n')
  })

  it('two edits that only together make the case pass both stay', async () => {
    const drifted = shopWith({
      [revenue]: ["  AND status = 'paid'\n", ''],
      [metric]: ['aliases: [revenue, turnover]', 'aliases: [turnover]'],
    })
    const alias = yaml('revenue', 'set', ['aliases'], ['turnover'], ['turnover', 'revenue'])
    const proposer = scripted(() => [text(revenue, filter, `${filter}  AND status = 'paid'\n`), alias])
    const { text: written, attempts } = await repair(warehouse, drifted, [revenueId], {
      rules: false,
      proposer,
    })
    expect(attempts).toMatchObject([{ evidence: { target: { passed: 1, of: 1 } } }])
    expect(written(metric)).toContain('revenue]')
  })
})

it('an alias that a model writes in place of another one is added beside it', async () => {
  const edit = yaml('revenue', 'set', ['aliases', 1], 'turnover', 'intake')
  const asking = [
    caseOf('in_id', 'ID intake in November 2025', revenueSql('ID', '2025-11-01', '2025-11-30')),
    caseOf('in_th', 'TH intake in November 2025', revenueSql('TH', '2025-11-01', '2025-11-30')),
  ]
  const { attempts, text } = await repair(warehouse, shop, asking, {
    rules: false,
    proposer: scripted(() => [edit]),
    named: new Set(asking.map(({ id }) => id)),
  })
  expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  expect(text(metric)).toContain('aliases: [revenue, turnover, intake]\n')
})
