import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { judgeWrite } from '../../src/roles/may-write.js'
import { type Role, roleNamed } from '../../src/roles/role.js'

const root = mkdtempSync(join(tmpdir(), 'autotest-installed-'))
afterAll(() => rmSync(root, { recursive: true }))
for (const path of [
  'venv/pyvenv.cfg',
  'venv/lib/python3.11/site-packages/_virtualenv.py',
  'venv/bin/activate_this.py',
  'backend/runtime/pyvenv.cfg',
  'backend/runtime/bin/tool.py',
  'tools/python/lib/python3.12/os.py',
  'tools/python/bin/tool.py',
  'services/conda/conda-meta/history',
  'src/shop/calc.py',
  'lib/shop.py',
  'bin/serve.py',
]) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), '')
}
const anywhere: Role = { ...roleNamed('coder'), name: 'flat', writes: ['**/*.py'] }
const judge = async (path: string, role: Role = anywhere): Promise<string> =>
  (await judgeWrite(role, { root, path, findShadowed: async () => undefined }))?.kind ?? 'allow'

/** What runs as the user, outside of any sandbox, when somebody starts Python or a program of the environment. */
it.each([
  'venv/lib/python3.11/site-packages/_virtualenv.py',
  'venv/lib/python3.11/site-packages/new.py',
  'venv/bin/activate_this.py',
  'venv/bin/json.py',
  'env/x.py',
  'node_modules/a/x.py',
  'reports/x.py',
  'backend/runtime/bin/tool.py',
  'backend/runtime/bin/json.py',
  'backend/runtime/x.py',
  'tools/python/lib/python3.12/os.py',
  'tools/python/bin/tool.py',
  'services/conda/bin/x.py',
  'vendor/site-packages/x.py',
  'vendor/dist-packages/x.py',
])('no role writes into what is installed: %s', async (path) => {
  expect(await judge(path)).toBe('refuse')
})

it.each([
  'src/shop/calc.py',
  'src/shop/new.py',
  'lib/shop.py',
  'bin/serve.py',
  'backend/app.py',
  'src/env/a.py',
])('a role writes what is its own: %s', async (path) => {
  expect(await judge(path)).toBe('allow')
})

it('a folder that a role names is no surprise, unless an interpreter is in it', async () => {
  const named: Role = { ...anywhere, writes: ['reports/**', 'venv/**'] }
  expect(await judge('reports/x.py', named)).toBe('allow')
  expect(await judge('venv/x.py', named)).toBe('refuse')
})
