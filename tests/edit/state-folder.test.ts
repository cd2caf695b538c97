import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createDurableFileSystem } from '../../src/edit/durable-file-system.js'
import { ensureStateFolder } from '../../src/edit/state-folder.js'

function scratch(): string {
  const root = mkdtempSync(join(tmpdir(), 'autotest-folder-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return root
}

it('is the same for two runs that make it at once', async () => {
  const root = scratch()
  // Between this run's look and its call.
  const another = createDurableFileSystem((step, path) => {
    if (step === 'make folder') mkdirSync(path)
  })
  const journal = join(root, '.autotest', 'journal')
  expect(await ensureStateFolder(root, 'journal', another)).toBe(journal)
  expect(await Promise.all([1, 2].map(() => ensureStateFolder(root, 'journal')))).toEqual([journal, journal])
  expect(readFileSync(join(root, '.autotest/.gitignore'), 'utf8')).toBe('*\n')
})

it('cannot be used where a file has its name', async () => {
  const root = scratch()
  writeFileSync(join(root, '.autotest'), '')
  await expect(ensureStateFolder(root)).rejects.toMatchObject({ code: 'write_failed' })
})
