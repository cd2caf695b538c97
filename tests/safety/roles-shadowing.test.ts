import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { shadowedNames } from '../../src/app/roles/shadowed-names.js'
import { judgeWrite } from '../../src/roles/may-write.js'
import { defaultRoles, type Role, roleNamed } from '../../src/roles/role.js'
import { needsPython } from '../needs.js'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function project(files: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'autotest-shadow-'))
  folders.push(root)
  const all = {
    'pyproject.toml': '[project]\nname = "shop"\n',
    'src/shop/__init__.py': '',
    'src/shop/calc.py': 'x = 1\n',
    'tests/unit/test_calc.py': '',
    ...files,
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const env = process.env
const judge = async (role: Role | string, path: string, root: string, made: readonly string[] = []) => {
  const findShadowed = shadowedNames({ python: undefined, env })
  const judged = await judgeWrite(typeof role === 'string' ? roleNamed(role) : role, {
    ...{ root, path, findShadowed },
    made: new Set(made),
  })
  return judged?.kind ?? 'allow'
}
const anywhere: Role = { ...roleNamed('coder', defaultRoles), name: 'flat', writes: ['**'] }

/** Each runs before or instead of what a tool, a plugin or the standard library would have run. */
const cheats: Readonly<Record<string, readonly string[]>> = {
  'the standard library': [
    ...['src/json/__init__.py', 'src/json.py', 'src/logging/__init__.py', 'src/ast.py', 'src/_strptime.py'],
    ...[
      'src/unittest/__init__.py',
      'src/collections/__init__.py',
      'src/time.py',
      'src/sys.py',
      'src/json.pyw',
    ],
    ...['src/encodings/__init__.py', 'src/zipimport.py', 'src/pdb/__init__.py', 'src/importlib/__init__.py'],
  ],
  'compiled code': [
    ...['src/json.pyc', 'src/shop/calc.pyc', 'src/shop/calc.so', 'src/shop/calc.abi3.so'],
    ...['src/json.cpython-311-x86_64-linux-gnu.so', 'src/shop/__pycache__/calc.cpython-311.pyc', 'src/x.pyd'],
  ],
  'installed packages': [
    ...['src/pytest/__init__.py', 'src/pytest.py', 'src/_pytest/__init__.py', 'src/_pytest.py'],
    ...['src/pluggy/__init__.py', 'src/iniconfig.py', 'src/packaging/__init__.py', 'src/pygments.py'],
    ...['src/pip/__init__.py', 'src/py.py'],
  ],
  'what is imported where it is there': [
    ...['src/sitecustomize.py', 'src/sitecustomize/__init__.py', 'src/usercustomize/__init__.py'],
    ...['src/usercustomize.py', 'src/shop/sitecustomize.py', 'src/argcomplete.py', 'src/org/python/core.py'],
  ],
  metadata: [
    ...['src/x.dist-info/entry_points.txt', 'src/x.egg-info/entry_points.txt', 'src/X.DIST-INFO/METADATA'],
    ...['src/x.dist-info/METADATA', 'src/x-1.0.dist-info/RECORD', 'src/x.egg/EGG-INFO/entry_points.txt'],
    ...['src/x.egg-info', 'src/x.pth', 'src/x.egg-link'],
  ],
  'settings of the runner of tests': [
    ...['src/conftest.py', 'src/shop/conftest.py', 'src/conftest.pyc', 'src/pytest.ini', 'src/pytest.toml'],
    ...['src/tox.ini', 'src/setup.cfg', 'src/pyproject.toml', 'src/setup.py', 'src/noxfile.py'],
    ...['src/vitest.config.ts', 'src/vitest.config.mjs', 'src/jest.config.js', 'src/vite.config.ts'],
    ...[
      'src/vitest.workspace.ts',
      'src/jest.config.json',
      'src/playwright.config.ts',
      'src/eslint.config.js',
    ],
    ...['src/tsconfig.json', 'src/tsconfig.build.json', 'src/jsconfig.json', 'src/karma.conf.js'],
    ...['src/babel.config.json', 'src/__mocks__/axios.js', 'src/app/__mocks__/@scope/pkg.ts'],
  ],
}

describe('no role writes what runs before or instead of a tool', needsPython, () => {
  const all = Object.entries(cheats).flatMap(([kind, paths]) => paths.map((path) => [kind, path] as const))

  it(`in ${all.length} ways`, { timeout: 180_000 }, async () => {
    const root = project()
    const allowed: string[] = []
    for (const [kind, path] of all)
      if ((await judge('coder', path, root)) !== 'refuse') allowed.push(`${kind}: ${path}`)
    // What the interpreter has no name for cannot be taken over: these packages are not installed everywhere.
    const absent = ['src/py.py', 'src/pygments.py', 'src/pip/__init__.py', 'src/argcomplete.py']
    expect(allowed.filter((each) => !absent.some((path) => each.endsWith(path)))).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(60)
  })

  it.each([
    ['conftest.py', 'refuse'],
    ['json.py', 'refuse'],
    ['tools/json.py', 'refuse'],
    ['setup.py', 'refuse'],
    ['Makefile', 'ask'],
    ['native/CMakeLists.txt', 'ask'],
    ['shop2/json.py', 'refuse'],
  ])('a role that may write everything: %s', async (path, expected) => {
    expect(await judge(anywhere, path, project())).toBe(expected)
  })

  it('a person decides about what sets up the tests of a test writer, and what settings have loaded', async () => {
    const root = project({ 'pytest.ini': '[pytest]\naddopts = -q -p shop.plugin\n' })
    for (const name of ['conftest.py', 'deep/conftest.py', 'pytest.ini', '__mocks__/axios.ts'])
      expect([name, await judge('test-writer', `tests/unit/${name}`, root)]).toEqual([name, 'ask'])
    expect(await judge('coder', 'src/shop/plugin.py', root)).toBe('ask')
    expect(await judge('coder', 'src/Makefile', root)).toBe('ask')
  })

  it('a test writer takes over neither what is installed nor what is tested', async () => {
    const root = project()
    for (const path of [
      'json.py',
      'shop/__init__.py',
      'pytest.py',
      'requests.pyc',
      'shop.py',
      'x.dist-info/RECORD',
    ])
      expect([path, await judge('test-writer', `tests/unit/${path}`, root)]).not.toEqual([path, 'allow'])
  })

  it('a namespace that is installed may be added to, not taken over', async () => {
    const root = project()
    const site = mkdtempSync(join(tmpdir(), 'autotest-site-'))
    folders.push(site)
    mkdirSync(join(site, 'cloud/storage'), { recursive: true })
    writeFileSync(join(site, 'cloud/storage/__init__.py'), '')
    const findShadowed = shadowedNames({ python: undefined, env: { ...env, PYTHONPATH: site } })
    const at = async (path: string) =>
      (await judgeWrite(roleNamed('coder'), { root, path, findShadowed }))?.kind ?? 'allow'
    expect(await at('src/cloud/__init__.py')).toBe('refuse')
    expect(await at('src/cloud/storage/__init__.py')).toBe('refuse')
    expect(await at('src/cloud/shop/__init__.py')).toBe('allow')
  })

  it('nothing of the project runs while that is found out', async () => {
    const spy = 'open(__file__ + ".ran", "w").close()\n'
    const root = project({
      'json.py': spy,
      'src/pytest.py': spy,
      'os.py': spy,
      'src/importlib/__init__.py': spy,
    })
    const findShadowed = shadowedNames({ python: undefined, env: { ...env, PYTHONPATH: join(root, 'src') } })
    const judged = await judgeWrite(roleNamed('coder'), { root, path: 'src/argparse.py', findShadowed })
    expect(judged?.reason).toMatch(/"import argparse" would find it in place of .*argparse\.py/)
    const left = execFileSync('find', [root, '-name', '*.ran'], { encoding: 'utf8' })
    expect(left).toBe('')
  })
})

describe('what is no such name is written', needsPython, () => {
  it.each([
    ['coder', 'src/shop/json.py'],
    ['coder', 'src/shop/logging/__init__.py'],
    ['coder', 'src/shop/types.py'],
    ['coder', 'src/shop/new.py'],
    ['coder', 'src/warehouse/__init__.py'],
    ['coder', 'src/warehouse/stock.py'],
    ['coder', 'src/shop/calc.py'],
    ['coder', 'src/app.ts'],
    ['coder', 'src/json/index.ts'],
    ['coder', 'src/shop/data.json'],
    ['test-writer', 'tests/unit/test_json.py'],
    ['test-writer', 'tests/unit/helpers.py'],
    ['test-writer', 'tests/unit/__init__.py'],
    ['test-writer', 'tests/integration/deep/test_b.py'],
  ])('%s: %s', async (role, path) => {
    expect(await judge(role, path, project())).toBe('allow')
  })

  it('a package that is made together with its modules', async () => {
    const made = ['src/stock/__init__.py', 'src/stock/json.py', 'src/stock/types.py']
    const root = project()
    for (const path of made) expect([path, await judge('coder', path, root, made)]).toEqual([path, 'allow'])
  })

  it('a setting of the project itself that no tool of it has, where its lock says so', async () => {
    const lock = { lockfileVersion: 3, packages: { 'node_modules/vitest': { bin: { vitest: 'x' } } } }
    const root = project({
      'package.json': '{"devDependencies": {"vitest": "4.1.0"}}',
      'package-lock.json': JSON.stringify(lock),
    })
    expect(await judge('frontend', 'src/app/app.config.ts', root)).toBe('allow')
    expect(await judge('frontend', 'src/vitest.config.ts', root)).toBe('refuse')
  })

  it('an installed name that was the project\u2019s already', async () => {
    const root = project({ 'src/pluggy/__init__.py': '' })
    expect(await judge('coder', 'src/pluggy/hooks.py', root)).toBe('allow')
    expect(await judge('coder', 'src/pluggy/__init__.py', root)).toBe('allow')
  })
})
