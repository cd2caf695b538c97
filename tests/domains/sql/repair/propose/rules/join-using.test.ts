import { beforeAll, describe, expect, it } from 'vitest'
import {
  proposeSnippets,
  type SnippetProposal,
} from '../../../../../../src/domains/sql/repair/propose/rules/snippet-proposals.js'
import {
  loadSqlParser,
  type Schema,
  type SqlParser,
  schemaFromCatalogue,
} from '../../../../../../src/sql/index.js'
import { december, exampleOf, metricOf, november, snippetOf } from './snippet-examples.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

const columns: Readonly<Record<string, string>> = {
  orders: 'order_id client_id market paid_at status',
  items: 'order_id client_id market good_id amount',
  goods: 'good_id kind',
}

function schemaOf(more: Readonly<Record<string, string>> = {}): Schema {
  const tables = Object.entries({ ...columns, ...more }).map(([name, names]) => ({
    name,
    columns: names.split(' ').map((column) => ({ name: column })),
  }))
  return schemaFromCatalogue({ tables })
}

/** What is proposed for a broken snippet of which two cases expect what `expected` says. */
function proposalsFor(
  broken: string,
  expected: string,
  schema: Schema | 'unknown' = schemaOf(),
): readonly SnippetProposal[] {
  const examples = [november, december].map((question) => ({
    ...exampleOf(expected, question),
    schema: schema === 'unknown' ? undefined : schema,
  }))
  const snippet = snippetOf('sold', broken)
  return proposeSnippets({ parser, dialect: 'duckdb', metric: metricOf('sold'), snippet, examples }).proposals
}

const where = `WHERE o.market = {{ market }}
  AND o.paid_at BETWEEN {{ period.start }} AND {{ period.end }}
  AND o.status = 'paid'
`
const withUsing = `SELECT sum(i.amount) AS amount
FROM orders AS o
JOIN items AS i USING (order_id)
JOIN goods AS g USING (good_id)
${where}`
const withOn = withUsing
  .replace('USING (order_id)', 'ON i.order_id = o.order_id')
  .replace('USING (good_id)', 'ON g.good_id = i.good_id')

const faults: readonly (readonly [kind: string, good: string, broken: string])[] = [
  ['a missing filter', "  AND o.status = 'paid'\n", ''],
  ['another filter', "  AND o.status = 'paid'\n", "  AND o.status = 'paid'\n  AND g.kind = 'food'\n"],
  ['a wrong literal', "'paid'", "'payed'"],
  ['a stale column', 'amount)', 'gross)'],
  ['a stale table', 'goods AS', 'goods_v1 AS'],
  ['another aggregation', 'sum(', 'avg('],
  ['a kind of join', 'JOIN goods', 'LEFT JOIN goods'],
  ['a hard-coded parameter', '{{ market }}', "'ID'"],
]

describe('joins with USING where the cases are written with ON, and the other way round', () => {
  it.each(faults)('repairs %s, and leaves the joins as their author wrote them', (_, good, broken) => {
    const styles = [withUsing, withOn]
    for (const snippet of styles)
      for (const expected of styles)
        expect(
          proposalsFor(
            snippet.replace(good, () => broken),
            expected,
          )[0]?.text,
        ).toBe(snippet)
  })

  it.each([withUsing, withOn])('repairs the column of a join in its own words', (snippet) => {
    const broken = snippet
      .replace('USING (order_id)', 'USING (client_id)')
      .replaceAll('.order_id', '.client_id')
    for (const expected of [withUsing, withOn]) expect(proposalsFor(broken, expected)[0]?.text).toBe(snippet)
  })

  it.each([withUsing, withOn])('brings back a missing join as the other joins are written', (snippet) => {
    const broken = snippet.replace(/JOIN items.*\n/, '')
    for (const expected of [withUsing, withOn]) expect(proposalsFor(broken, expected)[0]?.text).toBe(snippet)
  })

  it('brings back the only join with USING where the snippet has its column without a table', () => {
    const good = withUsing.replace('sum(i.amount)', 'count(DISTINCT order_id)').replace(/JOIN goods.*\n/, '')
    const expected = good
      .replace('DISTINCT order_id', 'DISTINCT o.order_id')
      .replace('USING (order_id)', 'ON i.order_id = o.order_id')
    expect(proposalsFor(good.replace(/JOIN items.*\n/, ''), expected)[0]?.text).toBe(good)
  })

  it('gives back a key of several columns', () => {
    const [using, on] = [
      withUsing.replace('(order_id)', '(order_id, market)'),
      withOn.replace('ON i.order_id = o.order_id', '$& AND i.market = o.market'),
    ]
    expect(proposalsFor(withUsing, on)[0]?.text).toBe(using)
    expect(proposalsFor(withOn, using)[0]?.text).toBe(on)
  })

  it('writes a merged column without its table, as the snippet does', () => {
    const left = `SELECT order_id, sum(i.amount) AS amount
FROM orders AS o
LEFT JOIN items AS i USING (order_id)
${where}GROUP BY order_id
`
    const expected = left
      .replaceAll(/(SELECT|BY) order_id/g, '$1 o.order_id')
      .replace('USING (order_id)', 'ON i.order_id = o.order_id')
    expect(proposalsFor(left.replace('GROUP BY order_id\n', ''), expected)[0]?.text).toBe(left)
  })

  it('turns USING into ON where an outer join asks for more than columns of one name', () => {
    const left = withUsing.replace('JOIN goods', 'LEFT JOIN goods')
    const expected = withOn
      .replace('JOIN goods', 'LEFT JOIN goods')
      .replace('g.good_id = i.good_id', "g.good_id = i.good_id AND g.kind = 'food'")
    expect(proposalsFor(left, expected)[0]?.text).toBe(
      left.replace('USING (good_id)', "ON g.good_id = i.good_id AND g.kind = 'food'"),
    )
  })
})

describe('what joins with USING do not tell', () => {
  const broken = withUsing.replace("  AND o.status = 'paid'\n", '')

  it('abstains where nothing tells which of two tables the column of USING is of', () => {
    expect(proposalsFor(broken, withOn, 'unknown')).toEqual([])
    const both = schemaOf({ orders: 'order_id market paid_at status good_id' })
    expect(proposalsFor(broken, withOn, both)).toEqual([])
  })

  it('abstains where the cases join by the column of another table', () => {
    const others = schemaOf({ orders: 'order_id market paid_at status good_id' })
    expect(proposalsFor(broken, withOn.replace('i.good_id', 'o.good_id'), others)).toEqual([])
  })
})
