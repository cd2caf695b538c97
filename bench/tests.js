// How good the tests are that the rules write: mutants killed, usable suites, bugs caught, on public sets of functions (../shared/python, where it is
// present) and on functions of the standard library. docs/benchmarks.md keeps the figures.
// node bench/tests.js [--set human_eval|algorithms|stdlib|quixbugs|sample] [--most N] [--seconds 2] [--seed 1] [--times 3] [--verbose] [--keep FOLDER]
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { z } from 'zod'
import { findPython, requirePytest } from '../build/modules/app/project/find-python.js'
import { openPythonSession } from '../build/modules/domains/tests/python-sessions.js'
import { chooseSandbox } from '../build/modules/sandbox/sandbox.js'
import {
  functionDescription,
  mutantScore,
  testRun,
  writtenTests,
} from '../build/modules/testgen/python/worker-results.js'

const { values: flags } = parseArgs({
  options: {
    set: { type: 'string' },
    most: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    keep: { type: 'string' },
    times: { type: 'string', default: '3' },
  },
})
const [most, seconds, seed] = [Number(flags.most), Number(flags.seconds), Number(flags.seed)]
const python = await findPython({ root: tmpdir(), configured: undefined, env: process.env })
requirePytest(python)
const sandbox = await chooseSandbox(false, { python, env: process.env })
const { signal } = new AbortController()
console.log(
  `Python ${python.version}, pytest ${python.pytest}, ${sandbox.name}, ${seconds} s a function, seed ${seed}`,
)

const shared = fileURLToPath(new URL('../../shared/python/', import.meta.url))
const rowsOf = (name) =>
  readFileSync(join(shared, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Modules of the standard library in pure Python that need nothing but others of it. */
const stdlib = [
  ...['base64', 'bisect', 'calendar', 'colorsys', 'difflib', 'fnmatch', 'fractions', 'heapq', 'ipaddress'],
  ...['keyword', 'ntpath', 'numbers', 'posixpath', 'quopri', 'shlex', 'statistics', 'string', 'textwrap'],
  ...['urllib/parse', 'html/__init__', 'email/utils', 'json/decoder', 'mimetypes', 'netrc', 'stat', 'token'],
]

const sets = {
  human_eval: () =>
    rowsOf('human_eval').map((row) => ({ id: row.id, source: row.source, functions: [row.function] })),
  algorithms: () =>
    rowsOf('algorithms').map((row) => ({
      id: row.id,
      source: row.source,
      functions: row.functions.slice(0, 2),
    })),
  stdlib: () => {
    const folder = execFileSync(python.executable, ['-c', 'import os; print(os.path.dirname(os.__file__))'], {
      encoding: 'utf8',
    }).trim()
    return stdlib
      .map((name) => ({ id: name, file: join(folder, `${name}.py`) }))
      .filter(({ file }) => existsSync(file))
      .map(({ id, file }) => ({ id, source: readFileSync(file, 'utf8'), functions: undefined, atMost: 4 }))
  },
  quixbugs: () =>
    rowsOf('quixbugs').map((row) => ({
      id: row.id,
      source: row.correct,
      functions: [row.function],
      buggy: row.buggy,
    })),
}

const limit = pLimit(availableParallelism())
for (const [name, read] of Object.entries(sets)) {
  if (flags.set !== undefined && flags.set !== name) continue
  if (name !== 'stdlib' && !existsSync(shared)) {
    console.log(`${name}: skipped, ../shared/python is not there`)
    continue
  }
  const started = performance.now()
  const items = read().slice(0, most)
  const results = (await Promise.all(items.map((item, at) => limit(() => measure(item, at))))).flat()
  report(name, results, performance.now() - started)
}

/** Writes tests for the functions of one module, runs them and their mutants. */
async function measure({ id, source, functions, atMost = 2, buggy }, at) {
  const root = mkdtempSync(join(tmpdir(), 'autotest-bench-'))
  const module = `m${at}_${id.replaceAll(/\W+/g, '_').toLowerCase()}`
  const path = `${module}.py`
  writeFileSync(join(root, path), source)
  const session = await openPythonSession({ root, files: [path], python, sandbox }, undefined, signal)
  mkdirSync(join(session.folder, 'tests'))
  const results = []
  try {
    const call = (method, params, schema) => session.worker.call(method, params, schema, 300_000)
    const described = await call('describe', { path }, z.array(functionDescription))
    const names =
      functions ??
      described
        .filter(
          ({ qualname, is_nested: nested, name, end_line: end, line }) =>
            !nested && !qualname.includes('.') && !name.startsWith('_') && end - line > 2,
        )
        .slice(0, atMost)
        .map(({ qualname }) => qualname)
    for (const qualname of names)
      results.push(await functionResult(qualname, { id, path, module, source, buggy, session, call }))
  } catch (error) {
    results.push({ id, qualname: String(functions ?? ''), problem: String(error.message ?? error) })
  } finally {
    await session.close()
    rmSync(root, { recursive: true, force: true })
  }
  return results
}

async function functionResult(qualname, { id, path, module, source, buggy, session, call }) {
  const tests = `tests/test_${module}_${qualname.replaceAll('.', '_').toLowerCase()}.py`
  const base = { id, qualname }
  try {
    const started = performance.now()
    const written = await call(
      'write_tests',
      { path, qualname, existing: '', seconds, seed, test_path: tests },
      writtenTests,
    )
    const ms = performance.now() - started
    if (written.names.length === 0) return { ...base, ms, problem: written.failing_doctests[0] ?? 'no tests' }
    writeFileSync(join(session.folder, tests), written.text)
    if (flags.keep !== undefined) {
      mkdirSync(flags.keep, { recursive: true })
      writeFileSync(join(flags.keep, `test_${module}_${qualname}.py`), written.text)
    }
    const score = await call('score_mutants', { path, qualname, tests: [tests], seconds: 120 }, mutantScore)
    let isPassing = true
    for (let time = 0; time < Number(flags.times); time++) {
      const again = await call('run_tests', { paths: [tests], order: time % 3, hash_seed: time + 3 }, testRun)
      isPassing &&= again.tests.length > 0 && again.tests.every(({ outcome }) => outcome === 'passed')
    }
    const killed = score.mutants.filter(({ outcome }) => outcome === 'killed').length
    let caught
    if (buggy !== undefined && buggy.trim() !== source.trim()) {
      writeFileSync(join(session.folder, path), buggy)
      const run = await call('run_tests', { paths: [tests], seconds: 10 }, testRun)
      caught =
        run.failure !== undefined ||
        run.errors.length > 0 ||
        run.tests.some(({ outcome }) => outcome !== 'passed')
      writeFileSync(join(session.folder, path), source)
    }
    return {
      ...base,
      ms,
      tests: written.names.length,
      mutants: score.mutants.length,
      killed,
      isPassing,
      caught,
      scoreMs: score.ms,
    }
  } catch (error) {
    return { ...base, problem: String(error.message ?? error) }
  }
}

function report(name, results, ms) {
  const done = results.filter(({ mutants }) => mutants !== undefined)
  const sum = (key) => done.reduce((total, each) => total + each[key], 0)
  const share = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(1)}%`
  const withMutants = done.filter(({ mutants }) => mutants > 0)
  const mean =
    withMutants.reduce((total, { killed, mutants }) => total + killed / mutants, 0) /
    Math.max(1, results.length)
  const sorted = done.map((each) => each.ms).sort((a, b) => a - b)
  console.log(
    `${name}: ${results.length} functions, ${done.length} with tests (${share(done.length, results.length)}), ${sum('killed')} of ${sum('mutants')} mutants killed (${share(sum('killed'), sum('mutants'))}), mean over all ${(100 * mean).toFixed(1)}%, pass ${flags.times} times ${done.filter(({ isPassing }) => isPassing).length} of ${done.length}, median ${((sorted[sorted.length >> 1] ?? 0) / 1000).toFixed(2)} s, ${(sum('mutants') / (sum('scoreMs') / 1000)).toFixed(0)} mutants a second, ${(ms / 1000).toFixed(0)} s`,
  )
  const bugs = done.filter(({ caught }) => caught !== undefined)
  if (bugs.length > 0)
    console.log(`  bugs caught: ${bugs.filter(({ caught }) => caught).length} of ${bugs.length}`)
  for (const { id, qualname, problem } of results)
    if (problem !== undefined) console.log(`  ${id} ${qualname}: ${problem.split('\n')[0].slice(0, 120)}`)
  if (flags.verbose)
    for (const each of done)
      console.log(
        `  ${each.id} ${each.qualname}: ${each.killed}/${each.mutants}, ${each.tests} tests${each.caught === false ? ', bug missed' : ''}${each.isPassing ? '' : ', does not pass again'}`,
      )
}
