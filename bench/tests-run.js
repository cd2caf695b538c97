// A run of functions through the whole loop, one at a time: what is spent beyond the writer, runs on the reference and mutants; and mutants a
// second beside a pytest process for each. node bench/tests-run.js [--most 50]
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findPython, requirePytest } from '../build/modules/app/project/find-python.js'
import { openPythonSession } from '../build/modules/domains/tests/python-sessions.js'
import { chooseSandbox } from '../build/modules/sandbox/sandbox.js'
import { mutantScore, writtenTests } from '../build/modules/testgen/python/worker-results.js'

const { values: flags } = parseArgs({ options: { most: { type: 'string', default: '50' } } })
const root = fileURLToPath(new URL('..', import.meta.url))
const shared = join(root, '../shared/python/human_eval.jsonl')
if (!existsSync(shared)) {
  console.log('skipped: ../shared/python is not there')
  process.exit(0)
}
const rows = readFileSync(shared, 'utf8')
  .trim()
  .split('\n')
  .slice(0, Number(flags.most))
  .map((line) => JSON.parse(line))
const folder = mkdtempSync(join(tmpdir(), 'autotest-tests-run-'))
try {
  cpSync(join(root, 'agents/test'), join(folder, 'agents/test'), { recursive: true })
  for (const part of ['py', 'benchmarks']) mkdirSync(join(folder, part))
  for (const [at, { source }] of rows.entries()) writeFileSync(join(folder, 'py', `m${at}.py`), source)
  const cases = rows.map(
    ({ function: name }, at) => `  - { kind: tests, id: m${at}, file: m${at}.py, function: ${name} }`,
  )
  writeFileSync(join(folder, 'benchmarks/all.yaml'), `cases:\n${cases.join('\n')}\n`)
  writeFileSync(
    join(folder, 'autotest.config.yaml'),
    'agent: { kind: subagent, model: rules }\ntests: { project: py }\n',
  )
  const calls = join(folder, 'calls.json')
  const args = ['--import', join(root, 'bench/python-calls.js'), join(root, 'dist/cli/main.js')]
  const ran = spawnSync(process.execPath, [...args, '--no-repair', '--concurrency', '1'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, AUTOTEST_PYTHON_CALLS: calls },
  })
  const { total, sums } = JSON.parse(readFileSync(calls, 'utf8'))
  const needed = ['write_tests', 'run_tests', 'score_mutants'].reduce(
    (sum, name) => sum + (sums[name] ?? 0),
    0,
  )
  const other = Object.entries(sums)
    .map(([name, ms]) => `${name} ${(ms / 1000).toFixed(1)} s`)
    .join(', ')
  console.log(
    `${rows.length} functions, exit ${ran.status}: ${(total / 1000).toFixed(1)} s, of these ${(needed / 1000).toFixed(1)} s by writer, reference and mutants; beyond them ${((100 * (total - needed)) / needed).toFixed(0)}% (${other})`,
  )
  console.log(ran.stdout.split('\n').find((line) => line.startsWith('total=')) ?? ran.stdout.slice(-300))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
await mutantsASecond()

async function mutantsASecond() {
  const python = await findPython({ root: tmpdir(), configured: undefined, env: process.env })
  requirePytest(python)
  const sandbox = await chooseSandbox(false, { python, env: process.env })
  const project = mkdtempSync(join(tmpdir(), 'autotest-mutants-'))
  try {
    let [mutants, ms, processes, processMs] = [0, 0, 0, 0]
    for (const [at, { source, function: name }] of rows.slice(0, 10).entries()) {
      const path = `m${at}.py`
      writeFileSync(join(project, path), source)
      const { signal } = new AbortController()
      const session = await openPythonSession(
        { root: project, files: [path], python, sandbox },
        undefined,
        signal,
      )
      const call = (method, params, schema) => session.worker.call(method, params, schema, 200_000)
      const params = { path, qualname: name, existing: '', seconds: 2, seed: 1 }
      const { text } = await call('write_tests', params, writtenTests)
      writeFileSync(join(session.folder, 'test_m.py'), text)
      const score = await call('score_mutants', { path, qualname: name, tests: ['test_m.py'] }, mutantScore)
      mutants += score.mutants.length
      ms += score.ms
      for (let time = 0; time < 3; time++) {
        const started = performance.now()
        execFileSync(python.executable, ['-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', 'test_m.py'], {
          cwd: session.folder,
          stdio: 'ignore',
          env: { PATH: process.env.PATH, PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1', PYTHONDONTWRITEBYTECODE: '1' },
        })
        processMs += performance.now() - started
        processes++
      }
      await session.close()
    }
    const [own, each] = [(1000 * mutants) / ms, (1000 * processes) / processMs]
    console.log(
      `${mutants} mutants, ${own.toFixed(0)} a second; a pytest process each, ${each.toFixed(1)} a second: ${(own / each).toFixed(1)} times`,
    )
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}
