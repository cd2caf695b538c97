// Beside other writers of unit tests, the same functions and seconds, one run: mutants killed (ours, and mutmut's where it is installed), bugs
// caught, processor time. Tools that are not there are left out, loudly.
// node bench/peers.js [--each 10] [--seconds 2] [--pynguin PATH] [--crosshair PATH] [--mutmut PATH]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findPython, requirePytest } from '../build/modules/app/project/find-python.js'
import { openPythonSession } from '../build/modules/domains/tests/python-sessions.js'
import { chooseSandbox } from '../build/modules/sandbox/sandbox.js'
import { mutantScore, testRun } from '../build/modules/testgen/python/worker-results.js'

const toolEnvironment = { ...process.env, PYNGUIN_DANGER_AWARE: '1', PYTHONDONTWRITEBYTECODE: '1' }
const { values: flags } = parseArgs({
  options: {
    each: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '2' },
    pynguin: { type: 'string', default: 'pynguin' },
    crosshair: { type: 'string', default: 'crosshair' },
    mutmut: { type: 'string', default: 'mutmut' },
  },
})
const seconds = Number(flags.seconds)
const shared = fileURLToPath(new URL('../../shared/python/', import.meta.url))
if (!existsSync(shared)) {
  console.log('skipped: ../shared/python is not there')
  process.exit(0)
}
const python = await findPython({ root: tmpdir(), configured: undefined, env: process.env })
requirePytest(python)
const sandbox = await chooseSandbox(false, { python, env: process.env })
const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** Writers: each gets a folder with a module and leaves test files in `tests`. */
const writers = {
  autotest: (folder, module, name) =>
    run(folder, process.execPath, [cli, 'generate', `${module}.py::${name}`, '--seconds', `${seconds}`]),
  Pynguin: (folder, module) =>
    run(folder, flags.pynguin, [
      ...['--project-path', '.', '--module-name', module, '--output-path', 'tests', '--seed', '1'],
      ...['--maximum-search-time', `${seconds}`, '--no-xfail', 'True'],
    ]),
  CrossHair: (folder, module, name) => {
    const made = run(folder, flags.crosshair, [
      ...[
        'cover',
        '--example_output_format=pytest',
        `--per_condition_timeout=${seconds}`,
        `${module}.${name}`,
      ],
    ])
    if (/\ndef test_|^def test_/.test(made.stdout))
      writeFileSync(join(folder, 'tests', `test_${module}.py`), made.stdout)
    return made
  },
}
const present = Object.keys(writers).filter((name) => {
  const command = { Pynguin: flags.pynguin, CrossHair: flags.crosshair }[name]
  const isThere =
    command === undefined ||
    spawnSync(command, ['--help'], { stdio: 'ignore', env: toolEnvironment }).status === 0
  if (!isThere) console.log(`skipped: ${name} is not installed (${command})`)
  return isThere
})
const hasMutmut = spawnSync(flags.mutmut, ['--version'], { stdio: 'ignore' }).status === 0
if (!hasMutmut) console.log(`skipped: mutmut is not installed (${flags.mutmut})`)

/** Runs a program and returns what it printed and its seconds of processor time, with those of its children. */
function run(cwd, command, args) {
  const script = 'TIMEFORMAT="%U %S"; time "$0" "$@"'
  const result = spawnSync('bash', ['-c', script, command, ...args], {
    cwd,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 1e8,
    env: toolEnvironment,
  })
  const [user = 0, system = 0] = (result.stderr ?? '').trim().split('\n').at(-1).split(' ').map(Number)
  return { stdout: result.stdout ?? '', cpu: user + system || 0 }
}

const rows = (name) =>
  readFileSync(join(shared, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
/** The same number of functions of each set, evenly spread. */
const spread = (items) => {
  const each = Math.min(Number(flags.each), items.length)
  return Array.from({ length: each }, (_, at) => items[Math.floor((at * items.length) / each)])
}
const sets = {
  human_eval: rows('human_eval').map(({ source, function: name }) => ({ source, name })),
  quixbugs: rows('quixbugs')
    .filter(({ id }) => id !== 'node')
    .map(({ correct, buggy, function: name }) => ({ source: correct, name, buggy })),
  algorithms: rows('algorithms')
    .map(({ source, functions }) => ({ source, name: functions.find((each) => !each.includes('.')) }))
    .filter(({ name }) => name !== undefined),
}

const { signal } = new AbortController()
for (const [set, all] of Object.entries(sets)) {
  const functions = spread(all)
  for (const writer of present) {
    const results = []
    for (const [at, item] of functions.entries()) results.push(await measure(writer, item, `m${at}`))
    report(set, writer, results)
  }
}

async function measure(writer, { source, name, buggy }, module) {
  const root = mkdtempSync(join(tmpdir(), 'autotest-peers-'))
  try {
    mkdirSync(join(root, 'tests'))
    writeFileSync(join(root, `${module}.py`), source)
    const { cpu } = writers[writer](root, module, name)
    const tests = readdirSync(join(root, 'tests')).filter((file) => /^test_.*\.py$/.test(file))
    const base = { cpu, killed: 0, mutants: 0, share: 0, mutmut: 0, caught: false }
    const files = [`${module}.py`, ...tests.map((file) => `tests/${file}`)]
    const session = await openPythonSession({ root, files, python, sandbox }, undefined, signal)
    try {
      const call = (method, params, schema) => session.worker.call(method, params, schema, 200_000)
      const paths = tests.map((file) => `tests/${file}`)
      const score = await call(
        'score_mutants',
        { path: `${module}.py`, qualname: name, tests: paths, seconds: 120 },
        mutantScore,
      )
      const passing = tests.length > 0 && isUsable(await call('run_tests', { paths }, testRun))
      const killed = passing ? score.mutants.filter(({ outcome }) => outcome === 'killed').length : 0
      const total = score.mutants.length
      let caught = false
      if (buggy !== undefined && passing) {
        writeFileSync(join(session.folder, `${module}.py`), buggy)
        caught = !isUsable(await call('run_tests', { paths, seconds: 20 }, testRun))
      }
      const share = total === 0 ? 0 : killed / total
      return {
        ...base,
        killed,
        mutants: total,
        share,
        passing,
        caught,
        mutmut: passing ? mutmut(root, name) : 0,
      }
    } catch (error) {
      return { ...base, problem: String(error.message ?? error) }
    } finally {
      await session.close()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function isUsable({ tests, errors, failure }) {
  return (
    failure === undefined &&
    errors.length === 0 &&
    tests.length > 0 &&
    tests.every(({ outcome }) => outcome === 'passed')
  )
}

/** Returns the share of mutmut's mutants of a function that the tests kill; undefined where it makes none. */
function mutmut(root, name) {
  if (!hasMutmut) return undefined
  const module = readdirSync(root).find((file) => /^m\d+\.py$/.test(file))
  writeFileSync(
    join(root, 'setup.cfg'),
    `[mutmut]\nsource_paths=${module}\npytest_add_cli_args_test_selection=tests/\n`,
  )
  spawnSync(flags.mutmut, ['run'], { cwd: root, stdio: 'ignore', timeout: 300_000 })
  const meta = join(root, 'mutants', `${module}.meta`)
  if (!existsSync(meta)) return 0
  const codes = Object.entries(JSON.parse(readFileSync(meta, 'utf8')).exit_code_by_key)
    .filter(([key]) => key.includes(`x_${name}__mutmut_`))
    .map(([, code]) => code)
  if (codes.length === 0) return undefined
  // 0: survived, 33: no test runs it, null: not run.
  return codes.filter((code) => code !== 0 && code !== 33 && code !== null).length / codes.length
}

function report(set, writer, results) {
  const mean = (values) => (100 * values.reduce((sum, each) => sum + each, 0)) / Math.max(1, values.length)
  const sum = (key) => results.reduce((total, each) => total + each[key], 0)
  const cpu = results.map((each) => each.cpu).sort((a, b) => a - b)[results.length >> 1]
  const byMutmut = results.map((each) => each.mutmut).filter((each) => each !== undefined)
  const bugs =
    set === 'quixbugs' ? `, bugs ${results.filter(({ caught }) => caught).length} of ${results.length}` : ''
  console.log(
    `${set} ${writer}: ${results.filter(({ passing }) => passing).length} of ${results.length} usable, ${sum('killed')} of ${sum('mutants')} mutants (mean ${mean(results.map(({ share }) => share)).toFixed(0)}%)${hasMutmut ? `, mutmut's mean ${mean(byMutmut).toFixed(0)}%` : ''}${bugs}, median ${cpu.toFixed(1)} s of CPU`,
  )
  for (const { problem } of results)
    if (problem !== undefined) console.log(`  ${problem.split('\n')[0].slice(0, 150)}`)
}
