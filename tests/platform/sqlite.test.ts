import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { Sqlite } from '../../src/platform/sqlite.js'

it('SQLite is the build that this Node can load: the other one would end the process', () => {
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) =>
    /\/(?:sqlite12|dist\/sqlite)\//.test(path),
  )
  const newer = Number(process.versions['napi']) >= 10
  expect(loaded.length).toBeGreaterThan(0)
  expect(loaded.filter((path) => path.includes('/dist/sqlite/') !== newer)).toEqual([])
  const database = new Sqlite(':memory:')
  expect(database.prepare('SELECT sqlite_version() AS version').get()).toMatchObject({
    version: expect.stringMatching(/^3\.\d+/),
  })
  database.close()
})
