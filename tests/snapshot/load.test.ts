import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadSnapshot } from '../../src/snapshot/load.js'
import { readText } from '../../src/snapshot/snapshot.js'
import { asOrdinaryUser } from '../ordinary-user.js'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'autotest-load-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text = 'x'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

it('reads what holds knowledge below the folders, by paths relative to the root', async () => {
  for (const path of [
    'kb/metrics/dau.yaml',
    'kb/a.sql',
    'kb/n.md',
    'agents/t.pym',
    'kb/x.png',
    'other/a.yaml',
  ])
    write(path, path)
  const { snapshot, problems } = await loadSnapshot(root, ['kb', 'agents'])
  expect([...snapshot.files.keys()]).toEqual(['agents/t.pym', 'kb/a.sql', 'kb/metrics/dau.yaml', 'kb/n.md'])
  expect(readText(snapshot, 'kb/a.sql')).toBe('kb/a.sql')
  expect(problems).toEqual([])
})

it('takes a missing folder for an empty one', async () => {
  const { snapshot, problems } = await loadSnapshot(root, ['kb'])
  expect([snapshot.files.size, problems]).toEqual([0, []])
})

it('leaves hidden files and node_modules alone', async () => {
  for (const path of ['kb/.git/a.yaml', 'kb/.a.yaml', 'kb/node_modules/p/a.md', 'kb/a.yaml']) write(path)
  const { snapshot } = await loadSnapshot(root, ['kb'])
  expect([...snapshot.files.keys()]).toEqual(['kb/a.yaml'])
})

it('reads a file once where folders overlap', async () => {
  write('kb/metrics/a.yaml')
  const { snapshot, problems } = await loadSnapshot(root, ['kb', 'kb/metrics', './kb/'])
  expect([[...snapshot.files.keys()], problems]).toEqual([['kb/metrics/a.yaml'], []])
})

it('does not follow symbolic links, and says so', async () => {
  write('secret/a.yaml')
  write('kb/b.yaml')
  symlinkSync(join(root, 'secret/a.yaml'), join(root, 'kb/a.yaml'))
  symlinkSync(join(root, 'secret'), join(root, 'kb/folder'))
  const { snapshot, problems } = await loadSnapshot(root, ['kb'])
  expect([...snapshot.files.keys()]).toEqual(['kb/b.yaml'])
  expect(problems.map(({ path }) => path)).toEqual(['kb/a.yaml', 'kb/folder'])
})

it('reports an unreadable file and loads the rest', async () => {
  write('kb/a.yaml')
  write('kb/b.yaml')
  chmodSync(join(root, 'kb/a.yaml'), 0)
  const { snapshot, problems } = await asOrdinaryUser(root, () => loadSnapshot(root, ['kb']))
  expect([...snapshot.files.keys()]).toEqual(['kb/b.yaml'])
  expect(problems).toEqual([{ path: 'kb/a.yaml', message: expect.stringMatching(/^cannot be read: EACCES/) }])
})

it('reports a file over 5 MB and loads the rest', async () => {
  write('kb/a.yaml', 'x'.repeat(5_000_001))
  write('kb/b.yaml')
  const { snapshot, problems } = await loadSnapshot(root, ['kb'])
  expect([...snapshot.files.keys()]).toEqual(['kb/b.yaml'])
  expect(problems).toEqual([{ path: 'kb/a.yaml', message: 'is larger than 5 MB' }])
})

it('reports a folder that is a file', async () => {
  write('kb')
  const { problems } = await loadSnapshot(root, ['kb'])
  expect(problems).toEqual([{ path: 'kb', message: expect.stringMatching(/^cannot be read: ENOTDIR/) }])
})

it.each(['..', '../other', '/etc', 'kb/../../x'])(
  'refuses the folder %s outside the root',
  async (folder) => {
    await expect(loadSnapshot(root, [folder])).rejects.toMatchObject({ code: 'usage' })
  },
)

it('refuses a folder that is a link out of the root', async () => {
  symlinkSync(tmpdir(), join(root, 'kb'))
  await expect(loadSnapshot(root, ['kb'])).rejects.toMatchObject({ code: 'usage' })
})

it('gives equal snapshots for equal files', async () => {
  write('kb/a.yaml')
  const before = await loadSnapshot(root, ['kb'])
  expect((await loadSnapshot(root, ['kb'])).snapshot.hash).toBe(before.snapshot.hash)
  write('kb/a.yaml', 'y')
  expect((await loadSnapshot(root, ['kb'])).snapshot.hash).not.toBe(before.snapshot.hash)
})
