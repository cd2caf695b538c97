import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startSandboxed } from '../../src/sandbox/start-sandboxed.js'
import { needsPython } from '../needs.js'
import { pythonProject, sandboxesHere } from '../testgen/python-here.js'

const places = 60

describe('what is ended while it starts', needsPython, () => {
  // Where there is no Python there is no sandbox to try, and still a test that is counted as left out.
  const sandboxes = sandboxesHere()
  it.for(sandboxes.length === 0 ? [undefined] : sandboxes)(
    'ends with all that it started, and with its pipes: $name',
    { timeout: 120_000 },
    async (sandbox) => {
      if (sandbox === undefined) throw new Error('no sandbox was found')
      const project = pythonProject({})
      try {
        const access = { workspace: project.folder, temporary: project.folder, readable: [] }
        const running = Array.from({ length: places }, async (_, at) => {
          const { child, end } = startSandboxed({ sandbox, command: ['/bin/sleep', '600'], access, env: {} })
          child.stdout.resume()
          child.stderr.resume()
          child.stdin.on('error', () => undefined)
          const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
          await wait(at)
          end()
          await closed
          return child.pid ?? 0
        })
        const groups = await Promise.all(running)
        // The system may still have to take note of the end of the last ones.
        await expect.poll(() => groups.filter(isThere), { timeout: 20_000 }).toEqual([])
      } finally {
        project.remove()
      }
    },
  )
})

/** Whether a group has a process. */
function isThere(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}
