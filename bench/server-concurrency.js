// How well a run keeps a server busy: `node bench/server-concurrency.js postgres://USER@HOST:PORT/DATABASE [cases] [concurrency]`, after
// `npm run build`. Each query sleeps for 100 ms; the wall time of the run stands beside the sum of its query times divided by the concurrency.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [address, cases = '1000', concurrency = '20'] = process.argv.slice(2)
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'autotest-bench-'))
for (const name of ['benchmarks', 'agents', 'kb']) mkdirSync(join(dir, name))
const separator = address.includes('?') ? '&' : '?'
writeFileSync(
  join(dir, 'autotest.config.yaml'),
  `engine: ${address}${separator}allow_superuser=true
agent: { kind: module, path: agents/sleeper.mjs, deterministic: true }
limits: { concurrency: ${concurrency} }
scoring: { fuzz: 0 }
`,
)
const queryOf = (number) => `SELECT ${number} AS n, pg_sleep(0.1)::text AS slept`
writeFileSync(
  join(dir, 'agents/sleeper.mjs'),
  `export default async ({ question }) => ({ type: 'sql', sql: 'SELECT ' + question.split(' ')[1] + ' AS n, pg_sleep(0.1)::text AS slept' })\n`,
)
const written = Array.from({ length: Number(cases) }, (_, at) => ({
  id: `case_${at}`,
  question: `number ${at}`,
  expected_sql: queryOf(at),
}))
writeFileSync(join(dir, 'benchmarks/cases.yaml'), JSON.stringify({ cases: written }))
try {
  for (let time = 0; time < 3; time++) {
    const started = performance.now()
    const { status, stderr } = spawnSync(process.execPath, [main, '--no-repair', '-o', 'report.json'], {
      cwd: dir,
      encoding: 'utf8',
    })
    const wall = performance.now() - started
    const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'))
    const [engine] = report.engines
    if (engine === undefined) throw new Error(stderr)
    const ideal = engine.ms / Number(concurrency)
    console.log(
      JSON.stringify({
        status,
        queries: engine.queries,
        ideal: Math.round(ideal),
        wall: Math.round(wall),
        ratio: Number((wall / ideal).toFixed(3)),
        ...(status === 0 ? {} : { stderr: stderr.slice(0, 300) }),
      }),
    )
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}
