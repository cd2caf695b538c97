import { beforeAll, describe, expect, it } from 'vitest'
import {
  proposeSnippets,
  type SnippetProposal,
} from '../../../../../../src/domains/sql/repair/propose/rules/snippet-proposals.js'
import { loadSqlParser, type SqlParser, schemaFromCatalogue } from '../../../../../../src/sql/index.js'
import { december, exampleOf, metricOf, november, snippetOf } from './snippet-examples.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

const schema = schemaFromCatalogue({
  tables: [
    {
      name: 'shop.orders',
      columns: [{ name: 'order_id' }, { name: 'market' }, { name: 'total' }, { name: 'status' }],
    },
    { name: 'shop.items', columns: [{ name: 'order_id' }, { name: 'amount' }, { name: 'kind' }] },
  ],
})

function proposalsFor(broken: string, expected: string): readonly SnippetProposal[] {
  const examples = [november, december].map((question) => ({ ...exampleOf(expected, question), schema }))
  const snippet = snippetOf('sold', broken)
  return proposeSnippets({ parser, dialect: 'duckdb', metric: metricOf('sold'), snippet, examples }).proposals
}

const good = `SELECT sum(i.amount) AS sold
FROM shop.orders o
JOIN shop.items i ON i.order_id = o.order_id
WHERE o.market = {{ market }}
  AND i.kind = 'goods'
`
const bare = good.replaceAll(/\b[io]\.(?!order_id)/g, '')

describe('a column that the case writes without its table', () => {
  it('is of the table that has it, whatever the snippet read in its place', () => {
    const [first, ...others] = proposalsFor(good.replace('i.amount', 'o.total'), bare)
    expect(first).toMatchObject({ text: good, title: 'sold: sum(o.total) should be sum(i.amount)' })
    expect(others).toEqual([])
  })

  it('is added with that table in front, as the snippet writes columns', () => {
    expect(proposalsFor(good.replace("  AND i.kind = 'goods'\n", ''), bare)[0]).toMatchObject({
      text: good,
      title: "sold: filter i.kind = 'goods' was missing",
    })
  })

  it('is of the joined table where the join is missing', () => {
    const unjoined = good
      .replace(/JOIN .*\n/, '')
      .replace('i.amount', 'o.total')
      .replace('i.kind', 'o.status')
    expect(proposalsFor(unjoined, bare)[0]?.text).toBe(good)
  })

  it('stays a name that the query itself gives', () => {
    const tail = 'GROUP BY o.market\nORDER BY total DESC\n'
    const ordered = good.replace('AS sold\n', `AS total\n`) + tail
    const expected = bare.replace('AS sold\n', 'AS total\n') + tail
    expect(proposalsFor(ordered.replace('ORDER BY total DESC\n', ''), expected)[0]?.text).toBe(ordered)
  })
})

it('never says that a column of one table is that of another', () => {
  for (const { text } of proposalsFor(good.replace('i.amount', 'o.amount'), bare))
    expect(text).not.toContain('o.amount')
})
