import { describe, expect, it } from 'vitest'
import { findContradictions } from '../../../src/kb/claims/find-contradictions.js'
import { parseKnowledgeBase } from '../../../src/kb/parse.js'
import { positionOf } from '../../../src/kb/snippet-check.js'
import { readText } from '../../../src/snapshot/snapshot.js'
import { snapshotOf } from '../knowledge-files.js'

const metric = (title: string, comment = '') =>
  `metric: sales\ntitle: ${title}\n${comment}aliases: [sales]\nsnippet: sales.sql\nparameters:\n  period: { type: date_range }\n`
const body = `SELECT sum(revenue) AS sales
FROM shop.orders
WHERE tz_type = 'local'
  AND status = 'paid'
  AND paid_at >= {{ period.start }}
  AND paid_at < {{ period.end_exclusive }}
`
const other = "SELECT count(*) AS n FROM shop.visits WHERE tz_type = 'regional'\n"

interface Knowledge {
  readonly title?: string
  /** Comment lines of the metric's file. */
  readonly yaml?: string
  readonly sql?: string
  readonly note?: string
}

function found({ title = 'Sales', yaml = '', sql = body, note = '# Notes\n' }: Knowledge): string[] {
  const snapshot = snapshotOf({
    'kb/metrics/sales.yaml': metric(title, yaml),
    'kb/snippets/sales.sql': sql,
    'kb/snippets/other.sql': other,
    'kb/snippets/third.sql': other.replace('regional', 'local'),
    'kb/notes/n.md': note,
  })
  const textOf = (path: string): string => readText(snapshot, path) ?? ''
  return findContradictions(parseKnowledgeBase(snapshot, 'kb'), textOf).map(({ path, offset, message }) => {
    const { line, column } = positionOf(textOf(path), offset)
    return `${path.replace(/^kb\/\w+\//, '')}:${line}:${column} ${message}`
  })
}

const at = (from: string, to: string): string => {
  if (body.split(from).length !== 2) throw new Error(`"${from}" stands not once in the query`)
  return body.replace(from, () => to)
}

describe('is shown where', () => {
  it.each<[string, Knowledge, string]>([
    [
      'a note says that a table was replaced',
      {
        sql: at('shop.orders', 'shop.orders_v1'),
        note: '# Orders\n\n- Old:\n  `shop.orders_v1` was replaced in July.\n',
      },
      'sales.sql:2:6 uses shop.orders_v1, which was replaced (kb/notes/n.md:3)',
    ],
    [
      'it names the new one',
      {
        sql: at('shop.orders', 'orders_v1'),
        note: 'The table `shop.orders_v1` has been superseded by `shop.orders`.\n',
      },
      'sales.sql:2:6 uses shop.orders_v1, which was superseded by shop.orders (kb/notes/n.md:1)',
    ],
    [
      'a note says what to use instead',
      {
        sql: at('sum(revenue)', 'sum(billed_revenue)'),
        note: 'Use `revenue` rather than `billed_revenue`.\n',
      },
      'sales.sql:1:12 uses billed_revenue instead of revenue (kb/notes/n.md:1)',
    ],
    [
      'a note says what not to use',
      { note: 'Do not use `paid_at`: it is filled late.\n' },
      'sales.sql:5:7 uses paid_at, which must not be used (kb/notes/n.md:1)',
    ],
    [
      'a comment says which column is not meant',
      { sql: `-- revenue, not billed_revenue: that has shipping\n${at('revenue', 'billed_revenue')}` },
      'sales.sql:1:4 says not billed_revenue, but it uses it',
    ],
    [
      'a comment names only the wrong one',
      { sql: `-- not account_id: few have one\n${at('sum(revenue)', 'count(DISTINCT o.account_id)')}` },
      'sales.sql:1:1 says not account_id, but it uses it',
    ],
    [
      'a note says that columns are never added up',
      { sql: at('sum(revenue)', 'sum(a1)'), note: '- `a1` and `a7` can be averaged, never added up.\n' },
      'sales.sql:1:12 sums a1, which must never be summed (kb/notes/n.md:1)',
    ],
    [
      'a comment says so',
      { sql: `-- a30 looks back: never a sum\n${at('sum(revenue)', 'sum(a30)')}` },
      'sales.sql:1:20 says "never a sum", but the query sums a30',
    ],
    [
      'a comment behind the line says never <=',
      {
        sql: at('paid_at < {{ period.end_exclusive }}', 'paid_at <= {{ period.end }} -- midnight: never <='),
      },
      'sales.sql:6:48 says "never <=", but the query uses it',
    ],
    [
      'a comment above the line says never BETWEEN',
      {
        sql: at(
          'AND paid_at < {{ period.end_exclusive }}',
          '-- never BETWEEN\n  AND paid_at BETWEEN {{ period.start }} AND {{ period.end }}',
        ),
      },
      'sales.sql:6:6 says "never BETWEEN", but the query uses it',
    ],
    [
      'a comment states another condition',
      { yaml: "# Only status = 'completed' counts.\n" },
      `sales.yaml:3:8 says "status = 'completed'", but the query has status = 'paid'`,
    ],
    [
      'a comment speaks of local time and the query is regional',
      {
        sql: `-- days are cut at local midnight\n${at("'local'", "'regional'")}`,
      },
      `sales.sql:1:20 says "local midnight", but the query has tz_type = 'regional'`,
    ],
    [
      'a title does',
      {
        title: 'Sales, local time',
        sql: at("'local'", "'regional'"),
      },
      `sales.yaml:2:1 says "local time", but the query has tz_type = 'regional'`,
    ],
    [
      'a comment names another first day',
      {
        sql: `-- complete since 2024-07-01\n${at('AND status', "AND paid_at >= DATE '2024-01-01' AND status")}`,
      },
      'sales.sql:1:13 says "since 2024-07-01", but the query has 2024-01-01',
    ],
    [
      'a title says average and the query sums',
      { title: 'Average basket', sql: at('sum(revenue)', 'sum(revenue_cents) / 100.0') },
      'sales.yaml:2:1 the title says "Average basket", but kb/snippets/sales.sql has no average and no division',
    ],
    [
      'a query only calls its sum an average',
      { title: 'Average basket', sql: at('AS sales', 'AS avg_basket') },
      'sales.yaml:2:1 the title says "Average basket", but kb/snippets/sales.sql has no average and no division',
    ],
    [
      'a title says total and the query averages',
      { title: 'Total sales', sql: at('sum(revenue)', 'avg(revenue)') },
      'sales.yaml:2:1 the title says "Total sales", but kb/snippets/sales.sql averages',
    ],
    [
      'a comment of the metric begins with it',
      { yaml: '# Average over the days of a month.\n' },
      'sales.yaml:3:1 the comment says "Average over the days of a month.", but kb/snippets/sales.sql has no average and no division',
    ],
    [
      'a comment says ratio of sums and the query averages ratios',
      { sql: `-- ratio of sums\n${at('sum(revenue)', 'avg(revenue / cost)')}` },
      'sales.sql:1:1 the comment says "ratio of sums", but kb/snippets/sales.sql has no sum divided by a sum',
    ],
  ])('%s', (_, knowledge, expected) => {
    expect(found(knowledge)).toEqual([expected])
  })
})

describe('nothing is said where', () => {
  it.each<[string, Knowledge]>([
    ['texts and query agree', {}],
    [
      'a query joins the old table to the new one',
      {
        sql: at('FROM shop.orders', 'FROM shop.orders JOIN shop.orders_v1 USING (id)'),
        note: '`orders_v1` was replaced by `orders`.\n',
      },
    ],
    [
      'what was replaced is only what the query calls its result',
      { note: '`sales` was replaced by `turnover`.\n' },
    ],
    ['a replaced table has the name of a column', { note: '`old.revenue` was replaced.\n' }],
    ['it was not replaced', { note: '`shop.orders` was never replaced, nor was it deprecated.\n' }],
    [
      'a replaced name stands in a string or a comment',
      { sql: `-- orders_v1 once\n${body}`, note: '`orders_v1` was replaced.\n' },
    ],
    ['"not" is about the world', { sql: `-- Placed, not paid. Not all of it counts, not yet.\n${body}` }],
    [
      'the other column only joins',
      {
        sql: `-- not account_id: few have one\n${at('FROM shop.orders', 'FROM shop.orders JOIN people USING (account_id)')}`,
      },
    ],
    [
      'the column that is not meant is averaged besides',
      { sql: `-- revenue, not billed_revenue\n${at('sum(revenue)', 'sum(revenue), avg(billed_revenue)')}` },
    ],
    [
      'never <= is said of another line',
      { sql: at('AND status', 'AND amount <= 100\n  -- never <=\n  AND status') },
    ],
    ['>= is written and never > was said', { sql: at('AND paid_at >=', '-- never >\n  AND paid_at >=') }],
    ['a condition is denied', { yaml: "# Never status = 'cancelled'. Orders without status = 'open'.\n" }],
    [
      'the query lists the text among others',
      {
        yaml: "# With status = 'shipped'.\n",
        sql: at("status = 'paid'", "(status = 'paid' OR status IN ('shipped'))"),
      },
    ],
    [
      'a text of another column is a plain word',
      { title: 'Paid sales', sql: at("status = 'paid'", "status = 'completed'") },
    ],
    ['local is no time', { title: 'Local sales', sql: at("'local'", "'regional'") }],
    [
      'the day is the same, written with the other operator',
      { sql: `-- since 2024-07-01\n${at('AND status', "AND paid_at > DATE '2024-06-30' AND status")}` },
    ],
    ['a day is no bound of the query', { sql: `-- since 2024-07-01 with fees\n${body}` }],
    [
      'an average is divided out, or read',
      { title: 'Average basket', sql: at('sum(revenue)', 'sum(revenue) / count(*)') },
    ],
    ['a rate is a column', { title: 'Largest share', sql: at('sum(revenue)', 'max(share)') }],
    ['an average is a column', { title: 'Average basket', sql: at('sum(revenue)', 'basket_avg') }],
    ['average is not how a comment begins', { sql: `-- the daily figures, not their average\n${body}` }],
    ['a title says total and average', { title: 'Average total', sql: at('sum(revenue)', 'avg(revenue)') }],
    [
      'columns that are never added up are averaged',
      { sql: at('sum(revenue)', 'avg(a1)'), note: '`a1` is never added up.\n' },
    ],
  ])('%s', (_, knowledge) => {
    expect(found(knowledge)).toEqual([])
  })
})

describe('what is not said of the query as it is', () => {
  it.each([
    "-- was tz_type = 'regional' until 2024",
    "-- used to read: AND tz_type = 'regional' (do not bring back)",
    "-- TODO: filter tz_type = 'regional' once Singapore asks",
    "-- Not the sum: tz_type = 'regional' would double it",
  ])('contradicts nothing: %s', (comment) => {
    expect(found({ sql: `${comment}\n${body}` })).toEqual([])
    expect(found({ yaml: `${comment.replace('--', '#')}\n` })).toEqual([])
  })
})
