// A benchmark in four parts, one of them killed and repeated, beside the same in one process: `node bench/shards.js [cases]`, after
// `npm run build`. Exits with 1 unless both reports say the same, apart from times, names of runs, and what engines were asked.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cli } from './measure.js'
import { sqliteProject } from './project.js'

const [count = '10000'] = process.argv.slice(2)
const parts = 4
const dir = sqliteProject({ cases: Number(count), distinct: true })
const shards = mkdtempSync(join(tmpdir(), 'autotest-shards-'))
try {
  const alone = await run(['--no-repair', '-o', 'one.json'])
  for (let part = 1; part <= parts; part++) {
    rmSync(join(dir, 'reports'), { recursive: true, force: true })
    const flags = ['--no-repair', '--shard', `${part}/${parts}`]
    // The second is killed in the middle of its cases, and begun anew on what it left.
    if (part === 2) await run(flags, alone.seconds / parts / 2)
    const ended = await run(flags)
    console.log(`part ${part}: exit ${ended.code}, ${ended.seconds.toFixed(1)} s`)
    cpSync(join(dir, 'reports'), join(shards, String(part)), { recursive: true })
  }
  rmSync(join(dir, 'reports'), { recursive: true, force: true })
  const folders = Array.from({ length: parts }, (_, at) => join(shards, String(at + 1)))
  const merged = await run(['merge', ...folders, '-o', 'all.json'])
  const same = saidBy('one.json') === saidBy('all.json')
  console.log(
    `${count} cases: one process exit ${alone.code}, ${alone.seconds.toFixed(1)} s; merged exit ${merged.code}, ${merged.seconds.toFixed(1)} s; ` +
      `the same report: ${same ? 'yes' : 'no'}`,
  )
  process.exitCode = same ? 0 : 1
} finally {
  for (const folder of [dir, shards]) rmSync(folder, { recursive: true, force: true })
}

/** @param killAfter seconds after which it is killed */
async function run(flags, killAfter) {
  const started = performance.now()
  const child = spawn(process.execPath, [cli, ...flags], { cwd: dir, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  if (killAfter !== undefined) {
    await sleep(killAfter * 1000)
    child.kill('SIGKILL')
  }
  return { code: await ended, seconds: (performance.now() - started) / 1000 }
}

function saidBy(file) {
  const {
    run,
    summary,
    cases,
    engines: _engines,
    ...rest
  } = JSON.parse(readFileSync(join(dir, file), 'utf8'))
  const said = {
    ...rest,
    run: { ...run, id: '', startedAt: '', finishedAt: '' },
    summary: { ...summary, ms: 0 },
    cases: cases.map((record) => ({ ...record, ms: 0 })),
  }
  return JSON.stringify(said).replaceAll(/r-[0-9a-f]{4,}/g, 'r-x')
}
