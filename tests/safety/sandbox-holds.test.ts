import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sandboxLadder } from '../../src/sandbox/sandbox.js'
import type { Sandbox, SandboxPython } from '../../src/sandbox/sandbox-access.js'
import { needing, needsSandbox } from '../needs.js'
import { makeAttempts } from './escape-attempts.js'

// Promise: what runs in a sandbox writes, reads, signals and reaches nothing outside, but for what the notice says.

const systemPython: SandboxPython = { executable: '/usr/bin/python3', folders: ['/usr'] }
const needsSystemPython = needing(
  'sandboxes as root and as an ordinary user',
  existsSync(systemPython.executable) ? undefined : '/usr/bin/python3 is not here',
)
const isRoot = process.getuid?.() === 0
const nobody = 65_534
const users = isRoot ? ([undefined, nobody] as const) : ([undefined] as const)

/** What the notice of a sandbox says before anything runs in it. */
const said: Readonly<Record<string, readonly string[]>> = {
  bubblewrap: [],
  namespaces: [],
  landlock: [
    'modes and times of files outside',
    'network',
    'local sockets',
    'signals',
    'limits and priorities of other processes',
    'System V IPC',
  ],
}

function sandboxNamed(name: Sandbox['name']): Sandbox {
  const rung = sandboxLadder({ python: systemPython, env: process.env }).find((each) => each.name === name)
  if (rung === undefined || typeof rung.sandbox === 'string') throw new Error(`there is no ${name}`)
  return rung.sandbox
}

for (const name of ['bubblewrap', 'namespaces', 'landlock'] as const)
  describe(`in ${name}`, { ...needsSystemPython, ...needsSandbox(name) }, () => {
    it.each(users.map((user) => [user === undefined && isRoot ? 'root' : 'an ordinary user', user] as const))(
      'as %s, of 120 attempts and more none gets out',
      { timeout: 60_000 },
      async (_who, user) => {
        const attempts = await makeAttempts(sandboxNamed(name), systemPython, user)
        expect(attempts.length).toBeGreaterThanOrEqual(120)
        const out = attempts.filter(({ held, promise }) => !held && !said[name]?.includes(promise))
        expect(out).toEqual([])
      },
    )
  })

describe('without a sandbox', needsSystemPython, () => {
  it.each(users)('the same attempts get out (user %s): they are not held by themselves', async (user) => {
    const attempts = await makeAttempts(undefined, systemPython, user)
    const open = new Set(attempts.filter(({ held }) => !held).map(({ promise }) => promise))
    expect([...open].sort()).toEqual(
      expect.arrayContaining([
        'descriptors',
        'files outside',
        'limits and priorities of other processes',
        'local sockets',
        'modes and times of files outside',
        'network',
        'other processes',
        'signals',
      ]),
    )
    expect(attempts.filter(({ held }) => !held).length).toBeGreaterThanOrEqual(80)
    // Decoys that this kernel, or a container, lets nobody make are not there to be reached.
    const made = new Set(attempts.map(({ promise }) => promise))
    for (const promise of ['keys of the kernel', 'System V IPC'].filter((each) => made.has(each)))
      expect(open).toContain(promise)
  })
})
