import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createTestingHost } from '../../src/testgen/host-functions.js'

const folder = mkdtempSync(join(tmpdir(), 'autotest-tools-'))
afterAll(() => rmSync(folder, { recursive: true }))

const target = { path: 'src/calc.py', qualname: 'f', testPath: 'tests/test_calc.py' }

/** A worker that only keeps what is written: whether it is asked to is what matters here. */
function host() {
  const written: unknown[] = []
  const worker = {
    async call(method: string, { path }: Readonly<Record<string, unknown>>) {
      written.push(`${method} ${path}`)
      return null as never
    },
    close: async () => undefined,
  }
  return { written, ...createTestingHost({ worker, target, writable: ['tests'] }) }
}

it.each([
  ...[
    'tests/conftest.py',
    'tests/deep/conftest.py',
    'tests/CONFTEST.py',
    'tests/pytest.ini',
    'tests/tox.ini',
  ],
  ...[
    'tests/pytest.py',
    'tests/json.py',
    'tests/json/__init__.py',
    'tests/calc.py',
    'tests/sitecustomize.py',
  ],
  ...[
    'tests/x.dist-info/entry_points.txt',
    'tests/x.pth',
    'tests/calc.pyc',
    'tests/calc.so',
    'tests/setup.cfg',
  ],
])('a tool script may not write %s', async (path) => {
  const { functions, written, mayWrite } = host()
  expect(await functions['write_file']?.({ path, text: 'x' })).toEqual({
    written: false,
    reason: expect.stringContaining(`${path} would run with other tests`),
  })
  expect([mayWrite(path), written]).toEqual([false, []])
})

it.each(['tests/test_calc.py', 'tests/deep/calc_test.py', 'tests/data/rows.csv', 'tests/rows.json'])(
  'and may write %s',
  async (path) => {
    const { functions, mayWrite } = host()
    expect(await functions['write_file']?.({ path, text: 'x' })).toEqual({
      written: true,
      reason: null,
    })
    expect(mayWrite(path)).toBe(true)
  },
)
