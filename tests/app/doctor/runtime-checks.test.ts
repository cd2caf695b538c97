import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { removeFolders, scratchFolder } from '../../e2e/sample.js'
import { write } from '../../e2e/small-project.js'
import { finding } from './find-check.js'

afterEach(() => vi.unstubAllEnvs())
afterAll(removeFolders)

const nodeOf = (nodeVersion: string) => finding('node', '/', { machine: { nodeVersion } })

it.each(['20.19.0', '20.20.2', '22.0.0', '24.3.1', '26.0.0'])('Node %s is supported', async (version) => {
  expect(await nodeOf(version)).toMatchObject({
    status: 'ok',
    detail: `${version} (supported: 20.19 or newer)`,
  })
})

it.each(['18.20.8', '20.18.3', '20.2.0'])('Node %s is too old', async (version) => {
  expect(await nodeOf(version)).toMatchObject({
    status: 'problem',
    detail: `${version} is too old: autotest needs Node 20.19 or newer`,
    fix: expect.stringContaining('nvm install'),
  })
})

it('SQLite is opened and asked', async () => {
  expect(await finding('sqlite', '/')).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^SQLite 3\.\d+\.\d+$/),
  })
})

it('DuckDB is opened in its own process and asked', async () => {
  const dir = scratchFolder()
  expect(await finding('duckdb', dir)).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^DuckDB \d+\.\d+\.\d+, not used by this project$/),
  })
  write(dir, 'autotest.config.yaml', 'engine: duckdb:shop.duckdb\n')
  expect(await finding('duckdb', dir)).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^DuckDB \d+\.\d+\.\d+$/),
  })
})

it('the temporary folder is written to, whoever runs it', async () => {
  const dir = scratchFolder()
  vi.stubEnv('TMPDIR', dir)
  expect(await finding('temp folder', dir)).toMatchObject({ status: 'ok', detail: dir })
  // Not even root makes a folder there.
  vi.stubEnv('TMPDIR', '/proc')
  expect(await finding('temp folder', dir)).toMatchObject({
    status: 'problem',
    detail: expect.stringMatching(/^\/proc is not writable: /),
    fix: 'Set TMPDIR to a writable folder.',
  })
  expect(await finding('duckdb', dir)).toMatchObject({
    status: 'note',
    detail: expect.stringMatching(/^not checked: cannot create a folder in \/proc/),
  })
})

it.each([
  [5e9, 'ok', '5.0 GB free in '],
  [0.5e9, 'note', '500 MB free in '],
  [10e6, 'problem', '10 MB free in '],
])('with %i bytes free, disk space is %s', async (bytes, status, detail) => {
  const dir = scratchFolder()
  const row = await finding('disk space', dir, { machine: { freeBytes: async () => bytes } })
  expect(row).toMatchObject({ status, detail: expect.stringContaining(detail) })
  expect(row?.fix).toEqual(status === 'ok' ? undefined : expect.stringContaining('Free disk space'))
})

it('disk space is that of the fuller disk, and is really asked for', async () => {
  const dir = scratchFolder()
  const temp = join(dir, 'temp')
  mkdirSync(temp)
  vi.stubEnv('TMPDIR', temp)
  const freeBytes = async (folder: string): Promise<number> => (folder === temp ? 1e6 : 5e9)
  expect(await finding('disk space', dir, { machine: { freeBytes } })).toMatchObject({
    status: 'problem',
    detail: `1 MB free in ${temp}: not enough for a run`,
  })
  expect(await finding('disk space', dir)).toMatchObject({
    detail: expect.stringMatching(/^[\d.]+ [MG]B free in /),
  })
})
