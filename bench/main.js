// Prints figures; nothing here passes or fails. docs/benchmarks.md keeps them with command and date.
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { measure, median } from './measure.js'
import { sqliteProject } from './project.js'

const repeats = 5
const rows = []
const report = (what, reach, figure) => {
  rows.push([what, reach, figure])
  console.log(`${what.padEnd(58)} ${reach.padEnd(22)} ${figure}`)
}
const seconds = (run) => `${run.seconds.toFixed(2)} s${run.code === 0 ? '' : ` (exit ${run.code})`}`

report('autotest --help', '≤ 0.15 s', seconds(await median(repeats, ['--help'], tmpdir())))
await withProject({ cases: 1 }, async (dir) => {
  report('one SQLite case', '≤ 0.5 s', seconds(await median(repeats, [], dir)))
})
await withProject({ cases: 200 }, async (dir) => {
  report(
    '200 SQLite cases, module agent, run database written',
    '≤ 0.8 s',
    seconds(await median(repeats, [], dir)),
  )
})
await withProject({ cases: 200, delayMs: 100, concurrency: 20 }, async (dir) => {
  report(
    '200 module agents of 100 ms, concurrency 20 (ideal 1.0 s)',
    '≤ 1.3 s',
    seconds(await median(repeats, [], dir)),
  )
})
const each = (run) => `${((run.seconds * 1000) / 10_000).toFixed(2)} ms (${seconds(run)})`
await withProject({ cases: 10_000 }, async (dir) => {
  report('10,000 SQLite cases, surface variants of 90: time a case', '≤ 2 ms', each(await measure([], dir)))
})
await withProject({ cases: 10_000, distinct: true }, async (dir) => {
  const run = await measure([], dir)
  report('10,000 SQLite cases, no two queries alike: time a case', '≤ 2 ms', each(run))
  const half = run.memory.slice(Math.floor(run.memory.length / 2))
  const flat = `${Math.round(Math.min(...half))}–${Math.round(Math.max(...half))} MB in the second half`
  report('  parent and children resident', '≤ 250 MB, flat', `${Math.round(run.peak)} MB at most, ${flat}`)
})
const demo = await measure(['demo'], tmpdir())
report('autotest demo, whole loop', '≤ 15 s', seconds(demo))
report('  parent and children resident', '≤ 500 MB', `${Math.round(demo.peak)} MB`)
console.log(
  `\n${demo.output
    .split('\n')
    .filter((line) => /drifts ended|^ {2}[✓✗]/.test(line))
    .join('\n')}`,
)

async function withProject(options, work) {
  const dir = sqliteProject(options)
  try {
    await work(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
