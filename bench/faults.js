// Where the debugger without a model looks, and what the coder without a model mends, on small programs with one fault each (../shared/python,
// where it is present). Tests are half of a program's cases; the other half verifies a repair, and tests written for the right program say whether one is
// called right wrongly. docs/benchmarks.md keeps the figures.
// node bench/faults.js [--most N] [--seconds 60] [--verbose]
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { diffArrays } from 'diff'
import { z } from 'zod'
import { findPython, requirePytest } from '../build/modules/app/project/find-python.js'
import { openPythonSession } from '../build/modules/domains/tests/python-sessions.js'
import { chooseSandbox } from '../build/modules/sandbox/sandbox.js'
import { faultSearch, testRun, writtenTests } from '../build/modules/testgen/python/worker-results.js'

const { values: flags } = parseArgs({
  options: {
    most: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    verbose: { type: 'boolean', default: false },
  },
})
const file = fileURLToPath(new URL('../../shared/python/quixbugs.jsonl', import.meta.url))
if (!existsSync(file)) {
  console.log('skipped, ../shared/python is not there')
  process.exit()
}
const python = await findPython({ root: tmpdir(), configured: undefined, env: process.env })
requirePytest(python)
const sandbox = await chooseSandbox(false, { python, env: process.env })
const { signal } = new AbortController()
const rows = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
/** Cases as Python writes them: a float stays one. */
const literals = JSON.parse(
  execFileSync(
    python.executable,
    [
      '-c',
      'import json, sys\nprint(json.dumps([[[", ".join(map(repr, a)), repr(e)] for a, e in (json.loads(l).get("cases") or [])] for l in open(sys.argv[1]) if l.strip()]))',
      file,
    ],
    { encoding: 'utf8', maxBuffer: 100_000_000 },
  ),
)
const node = rows.find(({ id }) => id === 'node')?.correct ?? ''

/** Equal but for the kind of sequence, and for what floats round. */
const alike = `import types


def alike(value):
    if isinstance(value, types.GeneratorType):
        value = list(value)
    if isinstance(value, (tuple, list)):
        return [alike(each) for each in value]
    return value


def close(a, b, epsilon=0.0):
    return abs(a - b) <= 2 * epsilon if isinstance(a, float) and isinstance(b, float) else alike(a) == b
`

const results = []
for (const [at, row] of rows.slice(0, Number(flags.most)).entries()) {
  const result = await measure(row, literals[at])
  if (result !== undefined) results.push(result)
}
const share = (count) => `${count} of ${results.length} (${Math.round((100 * count) / results.length)}%)`
const of = (test) => results.filter(test).length
console.log(`true line in first place    ${share(of(({ rank }) => rank === 1))}`)
console.log(`true line in the first three ${share(of(({ rank }) => rank <= 3))}`)
console.log(`repaired, by held-out cases  ${share(of(({ repaired }) => repaired))}`)
console.log(`wrongly called repaired      ${share(of(({ wrong }) => wrong))}`)

async function measure({ id, function: name, correct, buggy, test }, cases) {
  const root = mkdtempSync(join(tmpdir(), 'autotest-bench-'))
  const path = `src/${id}.py`
  const session = await openPythonSession({ root, files: [], python, sandbox }, undefined, signal)
  const put = (place, text) => {
    mkdirSync(join(session.folder, place, '..'), { recursive: true })
    writeFileSync(join(session.folder, place), text)
  }
  const call = (method, params, schema) => session.worker.call(method, params, schema, 600_000)
  const passes = async (place) => {
    const run = await call('run_tests', { paths: [place], seconds: 30 }, testRun)
    return (
      run.failure === undefined &&
      run.errors.length === 0 &&
      run.tests.every(({ outcome }) => outcome === 'passed')
    )
  }
  try {
    const [wrong, right] = await Promise.all([plain(buggy, call), plain(correct, call)])
    if (wrong === right) return undefined
    put('src/alike.py', alike)
    if (test.includes('node import')) put('src/node.py', node)
    put(path, wrong)
    const halves = [0, 1].map((half) =>
      testsOf(
        cases.filter((_, at) => at % 2 === half),
        id,
        name,
      ),
    )
    if (cases.length === 0) halves[0] = ownTests(test, id)
    put('tests/test_shown.py', halves[0])
    const found = await call(
      'diagnose',
      { tests: ['tests/test_shown.py'], sources: [path], seconds: Number(flags.seconds), most: 6000 },
      faultSearch,
    )
    const truth = changedLines(wrong, right)
    const rank = Math.min(99, ...found.lines.filter(({ line }) => truth.has(line)).map((each) => each.rank))
    const [fix] = found.fixes
    let repaired = false
    let isWrong = false
    if (fix !== undefined) {
      put('tests/test_held_out.py', cases.length === 0 ? halves[0] : halves[1])
      put(path, fix.text)
      repaired = await passes('tests/test_held_out.py')
      if (repaired) isWrong = await differs(path, name, fix.text, right, { put, call, passes })
    }
    if (flags.verbose)
      console.log(
        `${id.padEnd(28)} rank ${rank} · ${found.failing.length} fail, ${found.passing} pass · ${found.whole} changes · ${repaired ? 'repaired' : fix === undefined ? 'no change' : 'refused by held-out cases'}${isWrong ? ', and differs elsewhere' : ''} · ${fix?.after ?? ''}`,
      )
    return { id, rank, repaired, wrong: isWrong }
  } finally {
    await session.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** Whether tests that are written for the right program fail with a repair. */
async function differs(path, name, fixed, right, { put, call, passes }) {
  put(path, right)
  const written = await call(
    'write_tests',
    { path, qualname: name, existing: '', seconds: 2, seed: 1, test_path: 'tests/test_written.py' },
    writtenTests,
  ).catch(() => undefined)
  if (written === undefined || written.names.length === 0) return false
  put('tests/test_written.py', written.text)
  if (!(await passes('tests/test_written.py'))) return false
  put(path, fixed)
  return !(await passes('tests/test_written.py'))
}

/** Without comments and docstrings of the file, so that lines of both programs can be compared. */
async function plain(text, call) {
  return (await call('normalized', { text }, z.object({ text: z.string() }))).text
}

function testsOf(cases, id, name) {
  const head = `from ${id} import ${name}\nfrom alike import close\n`
  const tests = cases.map(([args, expected], at) => {
    const epsilon = name === 'sqrt' ? `, ${args.split(', ')[1]}` : ''
    return `\n\ndef test_${at}():\n    assert close(${name}(${args}), ${expected}${epsilon})\n`
  })
  return head + tests.join('')
}

function ownTests(test, id) {
  return test
    .replace(/from load_testdata.*\n/, '')
    .replace(
      /if pytest\.use_correct:\n.*\nelse:\n\s+from python_programs\.\w+ import (\w+)/,
      `from ${id} import $1`,
    )
}

function changedLines(wrong, right) {
  const lines = new Set()
  let at = 1
  const parts = diffArrays(wrong.split('\n'), right.split('\n'))
  for (const [index, { added, removed, count }] of parts.entries()) {
    if (removed) for (let line = at; line < at + count; line++) lines.add(line)
    // What is missing counts as the line beside it.
    if (added && !parts[index - 1]?.removed) for (const line of [at - 1, at]) lines.add(line)
    if (!added) at += count
  }
  return lines
}
