import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { scripted } from '../scripted-proposer.js'
import { revenueId, revenueSg, revenueTh, shop, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const filter = "  AND status = 'paid'\n"
const test = '  AND is_test = 0\n'
const unpaid = shopWith({ [revenue]: [filter, ''] })
const cases = [revenueId, revenueTh, revenueSg]
const last = '(SELECT max(market) FROM sales)'

async function repairWith(edits: readonly Edit[], files = unpaid, of = cases) {
  const { attempts, result, text } = await repair(warehouse, files, of, {
    rules: false,
    maxRetries: 1,
    proposer: scripted(() => edits),
  })
  return { attempts, written: text(revenue), cause: result.findings.get(revenueId.id)?.cause }
}

const instead = (search: string, replace: string): readonly Edit[] => [
  { kind: 'edit_snippet', path: revenue, search, replace },
]
const or = (more: string): readonly Edit[] => instead(test, `${test}  AND (status = 'paid' OR ${more})\n`)

/** The cases and their twins pass with each: none asks for the market, the day or the length that it is about. */
const switches: readonly (readonly [string, readonly Edit[]])[] = [
  ['two values', or('{{ period.start }} = {{ period.end }}')],
  ['a value and a subquery', or(`{{ market }} = ${last}`)],
  ['a value and the clock', or('{{ period.end }} >= CURRENT_DATE')],
  ['a value and a column of something else', or('{{ market }} > channel')],
  ['values of two parameters', or('{{ market }} > {{ period.start }}')],
  ['a value and what it is made of', or('{{ market }} LIKE lower({{ market }} || channel)')],
  ['a value in a function', or('nullif({{ market }}, channel) IS NULL')],
  [
    'a value in a conditional',
    instead(
      test,
      `${test}  AND iif({{ market }} = ${last}, channel, 'paid') = iif({{ market }} = ${last}, channel, status)\n`,
    ),
  ],
  [
    'a value in a CASE',
    instead('sum(amount)', `sum(CASE WHEN status = 'paid' OR {{ market }} = ${last} THEN amount END)`),
  ],
  [
    'a value that a CASE is about',
    instead(
      'sum(amount)',
      `sum(CASE {{ market }} WHEN channel THEN tax WHEN ${last} THEN tax ELSE amount END)`,
    ),
  ],
  [
    'a value by another name',
    instead(
      test,
      `${test}  AND (status = 'paid' OR EXISTS (SELECT m FROM (SELECT {{ market }} AS m) WHERE m > channel))\n`,
    ),
  ],
]

describe('unexpectedPredicates', () => {
  it.each(switches)(
    'refuses a comparison of %s, which tells one question from another',
    async (_what, edits) => {
      const { attempts, written, cause } = await repairWith(edits)
      expect(attempts).toEqual([])
      expect(written).toBe(unpaid[revenue])
      expect(cause).toMatch(/\{\{ (?:market|period\.\w+) \}\} is compared where|neither in the data/)
    },
  )

  it.each(['random() = amount', 'sqlite_version() = market', 'day > CURRENT_DATE', "day > date('now')"])(
    'refuses %s, which comes neither from the data nor from the question',
    async (more) => {
      const { attempts, written, cause } = await repairWith(or(more))
      expect(attempts).toEqual([])
      expect(written).toBe(unpaid[revenue])
      expect(cause).toMatch(/is neither in the data nor in the question|unexplained literal/)
    },
  )

  it('refuses what no parser reads where the expected queries can be read', async () => {
    const { attempts, written, cause } = await repairWith(
      instead(test, `${test}  AND status = 'paid' COLLATE WITHOUT (SENSE\n`),
    )
    expect(attempts).toEqual([])
    expect(written).toBe(unpaid[revenue])
    expect(cause).toContain('it cannot be parsed')
  })

  it('refuses a snippet many times as long as what is expected', async () => {
    const { attempts, cause } = await repairWith(or(Array(100).fill("status = 'paid'").join(' OR ')))
    expect(attempts).toEqual([])
    expect(cause).toContain('tokens, where')
  })

  it.each(['sqlite_master', 'pragma_table_info', 'visits'])(
    'refuses a look into %s, which no snippet and no expected query reads',
    async (table) => {
      const files = { ...unpaid, 'kb/snippets/visits.sql': '' }
      const { attempts, cause } = await repairWith(or(`channel IN (SELECT v.name FROM ${table} AS v)`), files)
      expect(attempts).toEqual([])
      expect(cause).toContain(`${table} is read by no snippet`)
    },
  )

  it.each<readonly [string, readonly Edit[]]>([
    ['in another form', instead('market = {{ market }}', "status = 'paid'\n  AND {{ market }} = market")],
    ['in a list', instead('market = {{ market }}', "status = 'paid'\n  AND market IN ({{ market }})")],
    [
      'in a CASE',
      [
        ...instead('sum(amount)', 'sum(CASE WHEN market = {{ market }} THEN amount END)'),
        ...instead(test, `${test}${filter}`),
      ],
    ],
    [
      'behind a function',
      instead(
        'day BETWEEN {{ period.start }} AND {{ period.end }}',
        `status = 'paid'
  AND date(day) >= date({{ period.start }}) AND date(day) <= date({{ period.end }})`,
      ),
    ],
  ])('accepts a value that is compared with its own column %s', async (_what, edits) => {
    const { attempts } = await repairWith(edits)
    // A plan that is refused is no attempt.
    expect(attempts).toHaveLength(1)
  })

  it('accepts a value that is compared as in the expected queries', async () => {
    const wide = shopWith({
      [revenue]: `SELECT sum(amount) AS revenue\nFROM sales\nWHERE day BETWEEN {{ period.start }} AND {{ period.end }}\n${filter}${test}`,
    })
    const { attempts, written } = await repairWith(
      instead('WHERE ', 'WHERE market = {{ market }}\n  AND '),
      wide,
    )
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E2' }])
    expect(written?.replace(filter + test, '')).toBe(shop[revenue]?.replace(filter + test, ''))
  })
})
