import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { recoverBeforeReading } from '../../../src/app/project/with-project-lock.js'
import { writeProjectFiles } from '../../../src/app/project/write-project-files.js'
import { openJournal } from '../../../src/edit/journal.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'autotest-write-'))
  writeFileSync(join(root, 'old.py'), 'before\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const now = (): Date => new Date('2026-01-01T00:00:00Z')
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const made = { path: 'made.py', before: null, after: bytes('made\n') }
const changed = { path: 'old.py', before: bytes('before\n'), after: bytes('after\n') }

/** Ends a write of two files after the first of them. */
async function cutOff(): Promise<void> {
  let isGone = false
  const journal = await openJournal({
    root,
    allowedRoots: ['.'],
    extensions: ['.py'],
    now,
    pid: process.pid,
    step: (_name, path) => {
      isGone ||= path.endsWith('old.py') && existsSync(join(root, 'made.py'))
      if (isGone) throw new Error('killed')
    },
  })
  await expect(journal.write('t-1', 'files', [made, changed])).rejects.toThrow('killed')
}
const write = (changes: Parameters<typeof writeProjectFiles>[0]) =>
  writeProjectFiles(changes, { root, run: 't-2', extensions: ['.py'], now })

it('what was worked out from a half-written project is not written: it lacks what is taken back', async () => {
  await cutOff()
  expect(existsSync(join(root, 'made.py'))).toBe(true)
  // Whoever reads now finds the new file there, and leaves it out.
  await expect(write([changed])).rejects.toMatchObject({
    code: 'journal_conflict',
    hint: expect.stringContaining('Run it again'),
  })
  expect([existsSync(join(root, 'made.py')), readFileSync(join(root, 'old.py'), 'utf8')]).toEqual([
    false,
    'before\n',
  ])
  await write([made, changed])
  expect([existsSync(join(root, 'made.py')), readFileSync(join(root, 'old.py'), 'utf8')]).toEqual([
    true,
    'after\n',
  ])
})

it('a half-written project is recovered before it is read, and said', async () => {
  await cutOff()
  const said: string[] = []
  await recoverBeforeReading(root, (text) => said.push(text))
  expect(said).toEqual([expect.stringMatching(/run t-1 was killed while writing files; restored .*made\.py/)])
  expect(existsSync(join(root, 'made.py'))).toBe(false)
  await recoverBeforeReading(root, (text) => said.push(text))
  expect(said).toHaveLength(1)
})
