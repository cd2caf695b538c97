import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sqlite as Database } from '../build/modules/platform/sqlite.js'

/**
 * A scratch project of `cases` questions over a small SQLite database, answered by a `module` agent. Their queries come back
 * after ninety cases, unless they are to be `distinct`.
 */
export function sqliteProject({ cases, delayMs = 0, concurrency = 4, distinct = false }) {
  const dir = mkdtempSync(join(tmpdir(), 'autotest-bench-'))
  const database = new Database(join(dir, 'shop.sqlite'))
  database.exec(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, market TEXT, day TEXT, amount REAL, status TEXT)',
  )
  const insert = database.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?)')
  const markets = ['ID', 'TH', 'PH', 'SG', 'MY', 'VN']
  database.transaction(() => {
    for (let i = 0; i < 2000; i++) {
      const day = new Date(Date.UTC(2025, 0, 1 + (i % 365))).toISOString().slice(0, 10)
      insert.run(i, markets[i % 6], day, ((i * 37) % 997) / 7, i % 11 === 0 ? 'cancelled' : 'paid')
    }
  })()
  database.close()
  mkdirSync(join(dir, 'benchmarks'))
  mkdirSync(join(dir, 'agents'))
  writeFileSync(
    join(dir, 'autotest.config.yaml'),
    [
      'engine: sqlite:shop.sqlite',
      'agent: { kind: module, path: agents/surface.mjs, deterministic: true }',
      `limits: { concurrency: ${concurrency} }`,
      '',
    ].join('\n'),
  )
  // The same query in other words: alias, bounds, operand order and layout differ from the expected one.
  writeFileSync(
    join(dir, 'agents/surface.mjs'),
    `const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default async ({ question }) => {
  ${delayMs > 0 ? `await pause(${delayMs})` : ''}
  const [, market, least] = /market (\\w+) above ([\\d.]+)/.exec(question)
  return { type: 'sql', sql: \`select o.day as d, SUM(o.amount) as revenue
from orders as o
where o.amount >= \${least} and o.amount <= 900 and o.market = '\${market}' and o.status <> 'cancelled'
group by 1 order by 1 limit 20\` }
}
`,
  )
  const rows = Array.from({ length: cases }, (_, i) => {
    const market = markets[i % 6]
    const least = distinct ? ((i % 90) + i / 100_000).toFixed(5) : i % 90
    return `  - id: case_${i}
    question: Revenue a day of market ${market} above ${least}, number ${i}
    expected_sql: |
      SELECT day, sum(amount) AS total
      FROM orders
      WHERE status != 'cancelled' AND market = '${market}' AND amount BETWEEN ${least} AND 900
      GROUP BY day
      ORDER BY day
      LIMIT 20
    tags: [${market}]
`
  })
  writeFileSync(join(dir, 'benchmarks/revenue.yaml'), `cases:\n${rows.join('')}`)
  return dir
}
