import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { httpKind } from '../../src/engine/http/http.js'
import { autotest, removeFolders, scratchFolder } from '../e2e/sample.js'
import { startShownServer } from './node-server.js'
import { pageText, shownFile, shownYaml } from './page.js'

const page = pageText('docs/http-engine.md')
const token = 'tok-4711-secret'
const limits = { timeoutMs: 60_000, rows: 10_000, bytes: 64e6, memoryBytes: 1e9 }

afterAll(removeFolders)

/** A folder with the shown service and its database, and the address of the service. */
async function startService(): Promise<{ readonly dir: string; readonly address: string }> {
  const dir = scratchFolder()
  const { path, text } = shownFile(page, 'service')
  writeFileSync(join(dir, path), text)
  symlinkSync(resolve(import.meta.dirname, '../../node_modules'), join(dir, 'node_modules'))
  const database = await DuckDBInstance.create(join(dir, 'shop.duckdb'))
  const connection = await database.connect()
  await connection.run(`CREATE TABLE orders AS
    SELECT i AS id, ['ID', 'TH'][1 + i % 2] AS market, DATE '2025-11-01' + (i % 30)::INTEGER AS day,
      (i % 97)::DECIMAL(18, 2) / 4 AS amount
    FROM range(2500) AS r(i)`)
  connection.closeSync()
  database.closeSync()
  const port = await startShownServer(dir, [path], { SHOP_TOKEN: token })
  return { dir, address: `http://127.0.0.1:${port}/query` }
}

describe('docs/http-engine.md', () => {
  it('shows a service that answers page by page, with types', async () => {
    const { dir, address } = await startService()
    const engine = await httpKind.open(address, {
      root: dir,
      concurrency: 2,
      memoryBytes: 1e9,
      dialect: 'duckdb',
      token: { variable: 'SHOP_TOKEN', value: token },
    })
    onTestFinished(() => engine.close())
    const all = await engine.query('SELECT id FROM orders ORDER BY id', limits)
    expect(all.kind === 'rows' && [all.result.rows.length, all.result.rows[2499], all.result.cut]).toEqual([
      2500,
      [2499],
      null,
    ])
    const typed = await engine.query("SELECT 9007199254740993, DATE '2025-11-30', 1.50, NULL, 'x'", limits)
    expect(typed.kind === 'rows' && typed.result.rows).toEqual([
      [9007199254740993n, { kind: 'date', text: '2025-11-30' }, { kind: 'decimal', text: '1.50' }, null, 'x'],
    ])
    const columns = await engine.explain('SELECT market FROM orders', limits)
    expect(
      columns.kind === 'rows' && [columns.result.columns.map(({ name }) => name), columns.result.rows],
    ).toEqual([['market'], []])
    expect(await engine.query('SELECT nothing FROM orders', limits)).toMatchObject({ kind: 'failed' })
    expect((await engine.catalogue()).tables.map(({ name }) => name)).toEqual(['orders'])
  })

  it('shows a configuration that runs a benchmark on it', async () => {
    const { dir, address } = await startService()
    const config = shownYaml(page, 'engine: http')
    expect(config).toContain('http://127.0.0.1:8080/query')
    const files = {
      'autotest.config.yaml': `${config.replace('http://127.0.0.1:8080/query', address)}as_of: 2025-12-31\n`,
      'benchmarks/orders.yaml': `cases:
  - id: orders_th
    question: TH orders in November 2025
    expected_sql: SELECT count(*) AS orders FROM orders WHERE market = 'TH' AND day >= DATE '2025-11-01' AND day < DATE '2025-12-01'
`,
      'kb/metrics/orders.yaml': `metric: orders
aliases: [orders]
snippet: orders.sql
parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }
  period: { type: date_range }
`,
      'kb/snippets/orders.sql': `SELECT count(*) AS orders
FROM orders
WHERE market = {{ market }} AND day >= {{ period.start }} AND day < {{ period.end_exclusive }}
`,
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    }
    const right = await autotest(dir, ['--no-repair'], { SHOP_TOKEN: token })
    expect([right.err, right.code], right.out).toEqual(['', 0])
    const wrong = await autotest(dir, ['--no-repair'], { SHOP_TOKEN: 'tok-another-one' })
    expect([wrong.code, wrong.err], wrong.out).toEqual([
      3,
      expect.stringContaining('refuses the token (HTTP 401)'),
    ])
  })
})
