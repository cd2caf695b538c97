import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Sqlite as Database } from '../build/modules/platform/sqlite.js'

const markets = ['ID', 'TH', 'PH', 'SG', 'MY', 'VN']
const months = ['January', 'March', 'May', 'July', 'August', 'October', 'December']
const monthNumbers = ['01', '03', '05', '07', '08', '10', '12']
const words = [
  'sales',
  'refunds',
  'orders',
  'clicks',
  'visits',
  'chats',
  'units',
  'taxes',
  'coupons',
  'returns',
]

/** A scratch project of `cases` questions about ten metrics, asked of a model; `drifted` of them lost a filter. */
export function modelProject({ baseUrl, cases, concurrency = 4, drifted = 0 }) {
  const dir = mkdtempSync(join(tmpdir(), 'autotest-bench-'))
  const database = new Database(join(dir, 'shop.sqlite'))
  database.exec('CREATE TABLE facts (kind TEXT, market TEXT, day TEXT, amount INTEGER, status TEXT)')
  const insert = database.prepare('INSERT INTO facts VALUES (?, ?, ?, ?, ?)')
  database.transaction(() => {
    for (let i = 0; i < 21_900; i++) {
      const day = new Date(Date.UTC(2025, 0, 1 + (Math.floor(i / 60) % 365))).toISOString().slice(0, 10)
      insert.run(
        words[i % 10],
        markets[Math.floor(i / 10) % 6],
        day,
        (i * 37) % 997,
        i % 7 === 0 ? 'void' : 'ok',
      )
    }
  })()
  database.close()
  for (const folder of ['benchmarks', 'agents', 'kb/metrics', 'kb/snippets'])
    mkdirSync(join(dir, folder), { recursive: true })
  for (const role of ['sql', 'repairer'])
    cpSync(
      fileURLToPath(new URL(`../agents/${role}.yaml`, import.meta.url)),
      join(dir, `agents/${role}.yaml`),
    )
  writeFileSync(
    join(dir, 'autotest.config.yaml'),
    `engine: sqlite:shop.sqlite
as_of: 2025-12-31
agent: { kind: llm }
repair: { repairer: [llm] }
limits: { concurrency: ${concurrency} }
budget: { llm_calls: 5000 }
llm: { base_url: "${baseUrl}", roles: { sql: { model: tiny }, repairer: { model: tiny } } }
`,
  )
  words.forEach((word, at) => {
    const name = `total_${word}`
    writeFileSync(
      join(dir, `kb/metrics/${name}.yaml`),
      `metric: ${name}\ntitle: All ${word}\naliases: [${word}]\nsnippet: ${name}.sql\nparameters:\n  market: { type: enum, values: { ${markets.map((market) => `${market}: []`).join(', ')} } }\n  period: { type: date_range }\n`,
    )
    const filter = at < drifted ? '' : "  AND status = 'ok'\n"
    writeFileSync(
      join(dir, `kb/snippets/${name}.sql`),
      `SELECT sum(amount) AS total\nFROM facts\nWHERE kind = '${word}'\n  AND market = {{ market }}\n  AND day BETWEEN {{ period.start }} AND {{ period.end }}\n${filter}`,
    )
  })
  const rows = Array.from({ length: cases }, (_, i) => {
    const [word, market, month] = [words[i % 10], markets[Math.floor(i / 10) % 6], Math.floor(i / 10) % 7]
    return `  - id: case_${i}
    question: ${market} ${word} in ${months[month]} 2025${i < 420 ? '' : ` again ${i}`}
    expected_sql: SELECT sum(amount) AS total FROM facts WHERE kind = '${word}' AND market = '${market}' AND day BETWEEN '2025-${monthNumbers[month]}-01' AND '2025-${monthNumbers[month]}-31' AND status = 'ok'
`
  })
  writeFileSync(join(dir, 'benchmarks/facts.yaml'), `cases:\n${rows.join('')}`)
  return dir
}
