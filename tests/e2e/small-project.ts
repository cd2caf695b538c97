import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { scratchFolder } from './sample.js'

/** Relative path → text of the small project's files; `null` leaves one out. */
type Files = Readonly<Record<string, string | null>>

/** The snippet nothing to do, and as it is after somebody deleted its filter. */
export const goodSnippet = `SELECT market, sum(amount) AS gmv
FROM orders
WHERE day BETWEEN {{ period.start }} AND {{ period.end }}
  AND status = 'paid'
  AND market = {{ market }}
GROUP BY market
`
export const driftedSnippet = goodSnippet.replace("  AND status = 'paid'\n", '')

export const snippetPath = 'kb/snippets/gmv.sql'
export const benchmarkPath = 'benchmarks/gmv.yaml'

const expected = (market: string, from: string, to: string): string =>
  `SELECT market, sum(amount) AS gmv FROM orders WHERE day BETWEEN '${from}' AND '${to}' AND status = 'paid' AND market = '${market}' GROUP BY market`

const caseText = (id: string, question: string, sql: string, tag: string): string =>
  `  - id: ${id}\n    question: ${question}\n    expected_sql: ${JSON.stringify(sql)}\n    tags: [${tag}]\n`

export const benchmarkText = `cases:\n${[
  caseText('gmv_id', 'ID GMV in November 2025', expected('ID', '2025-11-01', '2025-11-30'), 'gmv'),
  caseText('gmv_th', 'TH GMV in December 2025', expected('TH', '2025-12-01', '2025-12-31'), 'gmv'),
  caseText(
    'orders_id',
    'ID orders in November 2025',
    "SELECT count(*) AS orders FROM orders WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30'",
    'orders',
  ),
].join('')}`

const parameters = `parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], VN: [Vietnam] } }
  period: { type: date_range }
`

const files: Readonly<Record<string, string>> = {
  'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nas_of: 2025-12-31\n',
  [benchmarkPath]: benchmarkText,
  'kb/metrics/gmv.yaml': `metric: gmv\ntitle: Gross merchandise value\naliases: [GMV]\nsnippet: gmv.sql\n${parameters}`,
  'kb/metrics/orders.yaml': `metric: orders\ntitle: Orders\naliases: [orders]\nsnippet: orders.sql\n${parameters}`,
  [snippetPath]: goodSnippet,
  'kb/snippets/orders.sql':
    'SELECT count(*) AS orders\nFROM orders\nWHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }}\n',
}

/** A project of three cases over a SQLite database, all green until a file is replaced. */
export function smallProject(changes: Files = {}, dir = scratchFolder()): string {
  for (const [path, text] of Object.entries({ ...files, ...changes }))
    if (text !== null) write(dir, path, text)
  shopDatabase(join(dir, 'shop.sqlite'))
  return dir
}

export const drifted: Files = { [snippetPath]: driftedSnippet }

function shopDatabase(path: string): void {
  const database = new Database(path)
  database.pragma('synchronous = OFF')
  database.exec(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, market TEXT, day TEXT, amount REAL, status TEXT)',
  )
  const insert = database.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?)')
  database.transaction(() => {
    for (let id = 0; id < 900; id++) {
      const day = new Date(Date.UTC(2025, 8, 1 + (id % 122))).toISOString().slice(0, 10)
      insert.run(
        id,
        ['ID', 'ID', 'ID', 'TH', 'TH', 'VN'][id % 6],
        day,
        (id * 37) % 997,
        id % 4 === 0 ? 'cancelled' : 'paid',
      )
    }
  })()
  database.close()
}

export function write(dir: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}

export function read(dir: string, path: string): string {
  return readFileSync(join(dir, path), 'utf8')
}

export function append(dir: string, path: string, text: string): void {
  write(dir, path, read(dir, path) + text)
}

/** Every file that a run must not touch, by path: all but what it writes for itself. */
export function userFiles(dir: string): Record<string, string> {
  const own = /^(reports|\.autotest|\.git|autotest\.decisions\.yaml)(\/|$)/
  const entries = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((path) => relative('.', path))
    .filter((path) => !own.test(path) && statSync(join(dir, path)).isFile())
    .sort()
  return Object.fromEntries(entries.map((path) => [path, readFileSync(join(dir, path)).toString('base64')]))
}

/** Makes the folder a git repository with everything committed; returns a function that runs git in it. */
export function gitRepository(dir: string): (...args: string[]) => string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    })
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'Tester')
  git('config', 'user.email', 'tester@example.com')
  write(dir, '.gitignore', 'reports/\n.autotest/\n')
  git('add', '--all')
  git('commit', '--quiet', '--message=start')
  return git
}

/** A module agent that notes every question in asked.log, then does what `body` says with `request`. */
export function loggingAgent(body: string): string {
  return `import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
const log = fileURLToPath(new URL('../asked.log', import.meta.url))
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default async (request) => {
  appendFileSync(log, request.id + '\\n')
  ${body}
}
`
}
