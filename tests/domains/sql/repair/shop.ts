import type { SqlCase } from '../../../../src/benchmark/case.js'

/** Sales of 400 days in six markets: every filter, column and day changes the sums. No market BN: it sold nothing. */
export const warehouse = `
CREATE TABLE sales (market TEXT, day TEXT, channel TEXT, status TEXT, is_test INTEGER, amount INTEGER, tax INTEGER, units INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7199)
INSERT INTO sales
SELECT substr('IDTHPHSGMYVN', 1 + 2 * (i % 6), 2), date('2024-12-01', '+' || (i / 18) || ' days'),
  CASE (i / 6) % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'app' ELSE 'store' END,
  CASE WHEN i % 7 = 0 THEN 'cancelled' ELSE 'paid' END, i % 11 = 0, 100 + (i * 37) % 997, (i * 13) % 89, 1 + (i * i) % 7
FROM n;
CREATE TABLE visits (market TEXT, day TEXT, channel TEXT, is_bot INTEGER, seconds INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7199)
INSERT INTO visits
SELECT substr('IDTHPHSGMYVN', 1 + 2 * (i % 6), 2), date('2024-12-01', '+' || (i / 18) || ' days'),
  CASE (i / 6) % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'app' ELSE 'store' END, i % 5 = 0, (i * 29) % 613
FROM n;
`

const market =
  'market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], PH: [Philippines], SG: [Singapore], MY: [Malaysia], VN: [Vietnam], BN: [Brunei] } }'
const period = 'period: { type: date_range }'
const range = 'day BETWEEN {{ period.start }} AND {{ period.end }}'

/** Clean knowledge about that warehouse. */
export const shop: Readonly<Record<string, string>> = {
  'kb/metrics/revenue.yaml': `metric: revenue
title: Turnover of paid sales
aliases: [revenue, turnover]
snippet: revenue.sql
parameters:
  ${market}
  ${period}
`,
  'kb/snippets/revenue.sql': `SELECT sum(amount) AS revenue
FROM sales
WHERE market = {{ market }}
  AND ${range}
  AND status = 'paid'
  AND is_test = 0
`,
  'kb/metrics/tax.yaml': `metric: tax
aliases: [tax]
snippet: tax.sql
parameters:
  ${market}
  ${period}
`,
  'kb/snippets/tax.sql': `SELECT sum(tax) AS tax
FROM sales
WHERE market = {{ market }}
  AND ${range}
  AND status = 'paid'
  AND is_test = 0
`,
  'kb/metrics/units.yaml': `metric: units
aliases: [units sold]
snippet: units.sql
parameters:
  ${market}
  ${period}
  by: { type: choice, values: { channel: { sql: channel, aliases: [by channel] }, status: { sql: status, aliases: [by status] } } }
  n: { type: number, words: [top], default: 10 }
`,
  'kb/snippets/units.sql': `SELECT {{ by }} AS slice, sum(units) AS units
FROM sales
WHERE market = {{ market }}
  AND ${range}
GROUP BY 1
ORDER BY 2 DESC
LIMIT {{ n }}
`,
  'kb/metrics/everything.yaml': `metric: everything
aliases: [all time sales]
snippet: everything.sql
`,
  'kb/snippets/everything.sql': `SELECT count(*) AS sales
FROM sales
WHERE is_test = 0
`,
}

export function revenueSql(market: string, start: string, end: string, more = ''): string {
  return `SELECT sum(amount) AS revenue FROM sales WHERE market = '${market}' AND day BETWEEN '${start}' AND '${end}' AND status = 'paid' AND is_test = 0${more}`
}

export function taxSql(market: string, start: string, end: string): string {
  return `SELECT sum(tax) AS tax FROM sales WHERE market = '${market}' AND day BETWEEN '${start}' AND '${end}' AND status = 'paid' AND is_test = 0`
}

export function caseOf(
  id: string,
  question: string,
  expectedSql: string,
  more: Partial<SqlCase> = {},
): SqlCase {
  const place = { file: 'benchmarks/b.yaml', line: 1, column: 1 }
  return {
    kind: 'sql',
    id,
    question,
    expectedSql,
    tags: [],
    compare: {},
    location: place,
    sqlLocation: place,
    ...more,
  }
}

export const revenueId = caseOf(
  'revenue_id',
  'ID revenue in November 2025',
  revenueSql('ID', '2025-11-01', '2025-11-30'),
)
export const revenueTh = caseOf(
  'revenue_th',
  'turnover of Thailand in August 2025',
  revenueSql('TH', '2025-08-01', '2025-08-31'),
)
export const revenueSg = caseOf(
  'revenue_sg',
  'SG revenue in Q1 2025',
  revenueSql('SG', '2025-01-01', '2025-03-31'),
)
export const taxId = caseOf('tax_id', 'ID tax in October 2025', taxSql('ID', '2025-10-01', '2025-10-31'))
export const taxVn = caseOf('tax_vn', 'VN tax in May 2025', taxSql('VN', '2025-05-01', '2025-05-31'))

/** The shop with some files in another state: a text with one piece replaced, a whole text, or null for none. */
export function shopWith(
  changes: Readonly<Record<string, readonly [string, string] | string | null>>,
): Record<string, string> {
  const files: Record<string, string> = { ...shop }
  for (const [path, change] of Object.entries(changes)) {
    const text = files[path] ?? ''
    if (change === null) delete files[path]
    else if (typeof change === 'string') files[path] = change
    else if (text.split(change[0]).length !== 2) throw new Error(`${path} holds "${change[0]}" not once`)
    else files[path] = text.replace(change[0], () => change[1])
  }
  return files
}
