import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AutotestError } from '../../src/errors.js'
import type { Sandbox } from '../../src/sandbox/sandbox-access.js'
import { startPythonWorker } from '../../src/testgen/python/worker.js'
import { type TestRun, testRun } from '../../src/testgen/python/worker-results.js'
import { pythonProject, requirePythonHere } from '../testgen/python-here.js'

/** A way by which the code under test tries to make a failing test pass. */
export interface Way {
  readonly kind: string
  readonly name: string
  /** The module `m`, whose function `f` goes this way. */
  readonly source: string
}

/** Returns the ways of a file: sections of Python after a first one that stands before each. */
export function waysIn(file: string): readonly Way[] {
  const text = readFileSync(fileURLToPath(new URL(`ways/${file}`, import.meta.url)), 'utf8')
  const [, ...parts] = text.split(/^#: (.*)$/m)
  const sections = parts.flatMap((title, at) => (at % 2 === 0 ? [{ title, body: parts[at + 1] ?? '' }] : []))
  const preamble = sections[0]?.body ?? ''
  return sections.slice(1).map(({ title, body }) => {
    const [kind = '', ...words] = title.split(': ')
    return { kind, name: words.join(': '), source: preamble + body }
  })
}

const testsOfFunctions = `from m import f, g


def test_g():
    assert g(1) == 2


def test_f():
    value = f(2)
    assert value == 4
`

/** The same with tests of unittest, which note for themselves what became of them. */
export const testsOfUnittest = `import unittest
import m


def test_g():
    assert m.g(1) == 2


class Base(unittest.TestCase):
    def setUp(self):
        m.before()

    def tearDown(self):
        self.assertEqual(m.after(), 0)


class TestM(Base):
    def test_f(self):
        value = m.f(2)
        self.assertEqual(value, 4)


class TestParts(Base):
    def test_part_f(self):
        with self.subTest():
            self.assertEqual(m.f(2), 4)


def test_plain_f():
    assert m.f(2) == 4 and m.after() == 0
`

export interface Tried {
  /** What each run came to. */
  readonly runs: readonly (TestRun | AutotestError)[]
  /** Whether a run says that the failing test passed. */
  readonly isForged: boolean
  /** What the code got hold of. */
  readonly reached: boolean
}

/**
 * Runs the tests of a module twice, and where it may have left something for a new process once more in one of its own, with
 * other hashes in another order.
 */
export async function tryWay(
  { kind, source }: Pick<Way, 'kind' | 'source'>,
  sandbox: Sandbox,
  tests = testsOfFunctions,
): Promise<Tried> {
  const { python } = requirePythonHere()
  const project = pythonProject({
    'm.py': source,
    'tests/test_m.py': tests,
    'tests/test_g.py': 'from m import g\n\n\ndef test_f():\n    assert g(1) == 2\n',
  })
  const { signal } = new AbortController()
  const worker = startPythonWorker({ python, sandbox, workspace: project.folder, signal })
  try {
    const runs: (TestRun | AutotestError)[] = []
    for (const seed of kind === 'files' || kind === 'environment' ? [null, null, 2] : [null, null]) {
      const params = { paths: ['tests/test_m.py'], seconds: 5, order: seed, hash_seed: seed }
      runs.push(
        await worker.call('run_tests', params, testRun, 20_000).catch((error: unknown) => {
          if (error instanceof AutotestError) return error
          throw error
        }),
      )
    }
    const reached = project.has('reached')
    return { runs, isForged: runs.some(saysPassed), reached }
  } finally {
    await worker.close()
    project.remove()
  }
}

function saysPassed(run: TestRun | AutotestError): boolean {
  return (
    !(run instanceof AutotestError) &&
    run.tests.some(({ test, outcome }) => test.endsWith('_f') && /passed/.test(outcome))
  )
}
