import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startPythonWorker } from '../../../src/testgen/python/worker.js'
import { testRun } from '../../../src/testgen/python/worker-results.js'
import { needsPython } from '../../needs.js'
import { findPythonHere, pythonProject } from '../python-here.js'

const here = findPythonHere()
const code = resolve(import.meta.dirname, '../../../src/testgen/python')

function needsPlugins(files: Readonly<Record<string, string>>): boolean {
  if (here === undefined) throw new Error('there is no Python')
  const project = pythonProject(files)
  onTestFinished(project.remove)
  const script = 'from autotest_worker.pytest_plugins import needs_plugins; print(needs_plugins())'
  const env = { PATH: process.env['PATH'], PYTHONPATH: code, PYTHONDONTWRITEBYTECODE: '1' }
  return (
    execFileSync(here.python.executable, ['-c', script], {
      cwd: project.folder,
      env,
      encoding: 'utf8',
    }).trim() === 'True'
  )
}

describe('plugins of pytest that happen to be installed are loaded', needsPython, () => {
  it.each([
    ['no configuration', {}, false],
    [
      'keys of pytest alone',
      { 'pytest.ini': '[pytest]\ntestpaths = tests\naddopts = -q -p no:randomly\n' },
      false,
    ],
    ['a key of a plugin', { 'pytest.ini': '[pytest]\nasyncio_mode = auto\n' }, true],
    ['a plugin that is required', { 'tox.ini': '[pytest]\nrequired_plugins = pytest-django\n' }, true],
    ['a plugin that is loaded by its name', { 'setup.cfg': '[tool:pytest]\naddopts = -p pytester\n' }, true],
    [
      'a key of a plugin in pyproject.toml, another tool before it',
      {
        'pyproject.toml':
          '[tool.black]\nline-length = 90\n\n[tool.pytest.ini_options]  # ours\nmarkers = [\n  "slow: takes long = yes",\n]\nDJANGO_SETTINGS_MODULE = "a.b"\n',
      },
      true,
    ],
    [
      'a section that is not the first',
      { 'pytest.ini': '[pytest]\ntestpaths = t\n', 'tox.ini': '[pytest]\ndjango = x\n' },
      false,
    ],
    ['a file that is none', { 'setup.cfg': 'no section\n' }, false],
  ])('%s: %s', (_name, files, expected) => {
    expect(needsPlugins(files)).toBe(expected)
  })

  it('and the run without them works with a project that configures pytest otherwise', async () => {
    if (here === undefined) return
    const project = pythonProject({
      'pytest.ini': '[pytest]\naddopts = --strict-markers\nmarkers = slow: takes long\n',
      'tests/test_a.py': 'def test_a():\n    assert True\n',
    })
    onTestFinished(project.remove)
    const { signal } = new AbortController()
    const worker = startPythonWorker({ ...here, workspace: project.folder, signal })
    onTestFinished(() => worker.close())
    const run = await worker.call('run_tests', { paths: ['tests/test_a.py'] }, testRun, 30_000)
    expect(run.tests.map(({ outcome }) => outcome)).toEqual(['passed'])
  })
})
