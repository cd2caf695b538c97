// Runs the same repairs on the machine as it is and beside busy processes, with one and with many questions at a time, and
// compares reports and written files byte for byte; ids, dates and durations are masked. docs/benchmarks-repair.md keeps the
// figures. Exits with 1 if anything differs.
// node bench/busy-machine.js [--busy 4] [--concurrency 1,4,8] [--tests] [PROJECT ...]
// A PROJECT is a folder with a git repository and its database, which is copied; without one, the demo is run.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { sqlSample, testsSample } from '../build/modules/app/demo/copy-sample.js'
import { prepareDemo } from '../build/modules/app/demo/prepare-demo.js'
import { measure } from './measure.js'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    busy: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '1,4' },
    tests: { type: 'boolean', default: false },
  },
})
const busy = Number(flags.busy)
const scratch = mkdtempSync(join(tmpdir(), 'autotest-busy-'))
let differing = 0

for (const { name, folder, benchmark } of await projects()) await compare(name, folder, benchmark)
rmSync(scratch, { recursive: true, force: true })
console.log(differing === 0 ? 'all results are the same' : `${differing} results differ`)
process.exitCode = differing === 0 ? 0 : 1

async function projects() {
  const given = positionals.map((folder) => ({ name: basename(resolve(folder)), folder: resolve(folder) }))
  if (given.length > 0) return given
  const found = [await demo('sql', sqlSample)]
  if (flags.tests) found.push(await demo('tests', testsSample))
  return found
}

async function demo(name, sample) {
  const folder = join(scratch, `demo-${name}`)
  await prepareDemo(sample, folder, scratch)
  return { name: `demo-${name}`, folder, benchmark: sample.benchmark }
}

async function compare(name, folder, benchmark) {
  let first
  for (const concurrency of flags.concurrency.split(','))
    for (const processes of [0, busy]) {
      const { result, seconds, code } = await run(folder, concurrency, processes, benchmark)
      const files = new Map(Object.entries(result))
      first ??= files
      const other = [...new Set([...first.keys(), ...files.keys()])].filter(
        (file) => first.get(file) !== files.get(file),
      )
      differing += other.length
      const hash = createHash('sha256').update(JSON.stringify(result)).digest('hex').slice(0, 12)
      const setting = `--concurrency ${concurrency}, beside ${processes} busy processes`
      console.log(
        `${name}: ${setting}: exit ${code}, ${seconds.toFixed(1)} s, ${files.size} files, ${hash} ${other.length === 0 ? 'same' : 'DIFFERS'}`,
      )
      for (const file of other) console.log(`  ${file}: ${firstDifference(first.get(file), files.get(file))}`)
    }
}

async function run(folder, concurrency, processes, benchmark) {
  const copy = join(scratch, 'copy')
  rmSync(copy, { recursive: true, force: true })
  cpSync(folder, copy, { recursive: true })
  const loops = Array.from({ length: processes }, () =>
    spawn(process.execPath, ['-e', 'while (true) {}'], { stdio: 'ignore' }),
  )
  try {
    const args = ['--yes', '--concurrency', concurrency, '--output', 'out.json', '--output', 'out.md']
    if (benchmark !== undefined) args.push('--benchmark', benchmark)
    const { seconds, code } = await measure(args, copy)
    return { seconds, code, result: resultsIn(copy) }
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
  }
}

/** Returns the masked reports, and each file that git knows, with the titles of the commits. */
function resultsIn(folder) {
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  const files = git('ls-files')
    .trim()
    .split('\n')
    .filter((path) => existsSync(join(folder, path)))
  const contents = files.map((path) => [path, readFileSync(join(folder, path), 'base64')])
  const reports = ['out.json', 'out.md']
    .filter((path) => existsSync(join(folder, path)))
    .map((path) => [path, masked(readFileSync(join(folder, path), 'utf8'))])
  const runs = existsSync(join(folder, 'reports')) ? readdirSync(join(folder, 'reports')) : []
  return {
    ...Object.fromEntries(contents),
    ...Object.fromEntries(reports),
    'commit titles': git('log', '--format=%s', '--reverse'),
    runs: String(runs.filter((name) => name.startsWith('r-')).length),
  }
}

/** Masks what two runs may not share: ids, dates, durations, the number of questions at a time, hashes of commits. */
function masked(text) {
  return text
    .replaceAll(/\br-[0-9a-f]{4,}\b/g, 'r-…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'date')
    .replaceAll(/("(?:ms|seconds|duration\w*|concurrency)": )[\d.]+/g, '$1…')
    .replaceAll(/("commit": "|commit: `)[0-9a-f]+/g, '$1…')
    .replaceAll(/\bcommit `?[0-9a-f]{7,40}`?/g, 'commit …')
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s)\b|\b\d+ min\b/g, '… s')
}

function firstDifference(one = '(absent)', other = '(absent)') {
  const [left, right] = [one.split('\n'), other.split('\n')]
  const at = left.findIndex((line, index) => line !== right[index])
  const line = at < 0 ? left.length : at
  return `line ${line + 1}: ${(left[line] ?? '(end)').slice(0, 160)} | ${(right[line] ?? '(end)').slice(0, 160)}`
}
