import { expect, it } from 'vitest'
import { modulesBeside } from '../../../src/app/testgen/ignored-modules.js'

const tracked = ['src/shop/__init__.py', 'src/shop/cart.py', 'setup.py']

it.each([
  ['a version that setuptools_scm writes', ['src/shop/_version.py']],
  ['a compiled module', ['src/shop/_speedups.cpython-311-x86_64-linux-gnu.so']],
  ['a generated package below one of the project', ['src/shop/api/__init__.py', 'src/shop/api/client.py']],
  ['a module at the root, beside setup.py', ['version.py']],
])('%s is needed', (_what, ignored) => {
  expect(modulesBeside(ignored, tracked)).toEqual(ignored)
})

it.each([
  ['an environment', ['.venv/lib/python3.11/site-packages/six.py', '.venv/bin/activate_this.py']],
  ['an environment that has a package at its top', ['env/__init__.py', 'env/a.py']],
  ['a build', ['build/lib/shop/__init__.py', 'build/lib/shop/cart.py']],
  ['a folder of output below a package, which is no package', ['src/shop/out/report.py']],
])('%s is not', (_what, ignored) => {
  expect(modulesBeside(ignored, tracked)).toEqual([])
})
