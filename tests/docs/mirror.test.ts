import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Folders of tests that span all of src, or test what is not in it. */
const spanning = ['ci', 'contracts', 'docs', 'e2e', 'safety', 'sample', 'scripts']

const tests = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts') && path.includes('/'))
  .filter((path) => !spanning.some((folder) => path.startsWith(`${folder}/`)))

it('tests lie in the folder of src that they test', () => {
  expect(tests.length).toBeGreaterThan(250)
  expect(tests.filter((path) => !existsSync(join(root, 'src', dirname(path))))).toEqual([])
})

it('folders of tests that mirror none of src are listed here', () => {
  const folders = readdirSync(join(root, 'tests'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  const others = folders.map(({ name }) => name).filter((name) => !existsSync(join(root, 'src', name)))
  expect(others.toSorted()).toEqual(spanning.filter((name) => name !== 'contracts'))
})
