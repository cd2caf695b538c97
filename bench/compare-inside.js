// Two equal results of a million rows and eight columns on a PostgreSQL: compared by reading them, and inside the engine, beside the
// engine's own EXCEPT ALL in both directions. `node bench/compare-inside.js USER@HOST:PORT/DATABASE [rows]` with PGPASSWORD, after
// `npm run build`; the user has to be able to create the table autotest_large there.
import pg from 'pg'
import { compareInsideEngine } from '../build/modules/compare/inside/compare-inside-engine.js'
import { runAndCompare } from '../build/modules/compare/outcomes/run-and-compare.js'
import { postgresKind } from '../build/modules/engine/server/postgres.js'

const [address, rows = '1000000'] = process.argv.slice(2)
const rounds = 3
const limits = { timeoutMs: 600_000, rows: 10_000_000, bytes: 8e9, memoryBytes: 8e9 }
const client = new pg.Client({ connectionString: `postgres://${address}`, password: process.env.PGPASSWORD })
await client.connect()
await client.query('DROP TABLE IF EXISTS autotest_large')
await client.query(`CREATE TABLE autotest_large AS SELECT i AS id, i % 1000 AS shop, 'customer ' || i % 5000 AS customer,
  CASE i % 3 WHEN 0 THEN 'paid' WHEN 1 THEN 'open' END AS status, date '2024-01-01' + (i % 700)::int AS day,
  timestamp '2024-01-01' + i * interval '1 second' AS at, (i % 9973)::numeric / 100 AS price, i % 7 AS items
  FROM generate_series(1, ${Number(rows)}) AS i`)
await client.query('ANALYZE autotest_large')
const columns = 'id, shop, customer, status, day, at, price, items'
const expectedSql = `SELECT ${columns} FROM autotest_large`
const generatedSql = `SELECT ${columns} FROM autotest_large WHERE id > 0`
const engine = await postgresKind.open(`//${address}?allow_superuser=true`, {
  root: process.cwd(),
  concurrency: 2,
  memoryBytes: 8e9,
})
const pair = {
  expectedSql,
  generatedSql,
  limits,
  order: { order: 'unordered' },
  tolerance: 1e-4,
  columns: 'auto',
}
const cut = { kind: 'cut', side: 'both', message: 'both results are large' }
const ways = {
  pulled: () =>
    runAndCompare({
      ...pair,
      order: { order: 'unordered', columnsIn: () => undefined },
      engine,
      same: false,
      expectedOutcome: () => engine.query(expectedSql, limits),
    }),
  inside: () => compareInsideEngine(engine, pair, cut),
  'except all': async () => {
    for (const [a, b] of [
      [expectedSql, generatedSql],
      [generatedSql, expectedSql],
    ]) {
      const outcome = await engine.query(`SELECT count(*) FROM (${a} EXCEPT ALL ${b}) AS d`, limits)
      if (outcome.kind !== 'rows' || Number(outcome.result.rows[0][0]) !== 0)
        throw new Error(JSON.stringify(outcome))
    }
    return { kind: 'match' }
  },
}
const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
try {
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(ways)) {
      const started = performance.now()
      const found = await work()
      if (found.kind !== 'match') throw new Error(`${name}: ${JSON.stringify(found)}`)
      times[name].push(performance.now() - started)
    }
  }
  const median = (name) => times[name].toSorted((a, b) => a - b)[Math.floor(rounds / 2)]
  for (const name of Object.keys(ways))
    console.log(
      `${name.padEnd(12)} ${(median(name) / 1000).toFixed(2)} s  ${(median(name) / median('except all')).toFixed(2)}`,
    )
} finally {
  await engine.close()
  await client.query('DROP TABLE autotest_large')
  await client.end()
}
