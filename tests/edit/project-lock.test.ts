import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockProject } from '../../src/edit/project-lock.js'
import { asOrdinaryUser } from '../ordinary-user.js'
import { scratchFolder } from './folder-tree.js'

let root = ''
const children: ChildProcess[] = []
beforeEach(() => {
  root = scratchFolder('lock')
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(root, { recursive: true })
})

/** Another process that holds the project's lock until it is killed. */
async function otherRun(): Promise<ChildProcess> {
  const script = `
    import { lockProject } from ${JSON.stringify(new URL('../../build/modules/edit/project-lock.js', import.meta.url).href)}
    await lockProject(process.argv[1])
    console.log('locked')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  if (child.stdout === null) throw new Error('no output')
  await once(child.stdout, 'data')
  return child
}

it('a second run is refused and told who holds the project since when', async () => {
  const child = await otherRun()
  await expect(lockProject(root)).rejects.toMatchObject({
    code: 'project_locked',
    message: expect.stringMatching(
      new RegExp(`^another run has locked this project \\(pid ${child.pid}, since \\d\\d:\\d\\d:\\d\\d\\)$`),
    ),
    hint: expect.any(String),
  })
})

it('a second lock in the same process is refused, too', async () => {
  const lock = await lockProject(root)
  await expect(lockProject(root)).rejects.toMatchObject({ code: 'project_locked' })
  lock.release()
})

it('a released lock is free, and releasing it again takes nothing from the next holder', async () => {
  const first = await lockProject(root)
  first.release()
  const second = await lockProject(root)
  first.release()
  await expect(lockProject(root)).rejects.toMatchObject({ code: 'project_locked' })
  second.release()
})

it('the lock of a killed process is free at once', async () => {
  const child = await otherRun()
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = await lockProject(root)
  lock.release()
})

it('a holder from another day is shown with its date', async () => {
  await otherRun()
  writeFileSync(join(root, '.autotest/lock.json'), JSON.stringify({ pid: 7, since: '2025-01-02T12:00:00Z' }))
  await expect(lockProject(root)).rejects.toMatchObject({
    message: expect.stringMatching(/pid 7, since 2025-01-02 \d/),
  })
})

it('a holder that has not written its name is still a holder', async () => {
  await otherRun()
  writeFileSync(join(root, '.autotest/lock.json'), '')
  await expect(lockProject(root)).rejects.toMatchObject({ message: 'another run has locked this project' })
})

it('a damaged lock file is named', async () => {
  mkdirSync(join(root, '.autotest'))
  writeFileSync(join(root, '.autotest/lock.db'), 'x'.repeat(4096))
  await expect(lockProject(root)).rejects.toMatchObject({
    code: 'write_failed',
    message: expect.stringContaining('lock.db'),
  })
})

it('a read-only project is named', async () => {
  chmodSync(root, 0o555)
  await asOrdinaryUser(root, () => expect(lockProject(root)).rejects.toMatchObject({ code: 'write_failed' }))
  chmodSync(root, 0o755)
})
