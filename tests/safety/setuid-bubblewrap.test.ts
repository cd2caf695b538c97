import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { sandboxLadder } from '../../src/sandbox/sandbox.js'

const folder = mkdtempSync(join(tmpdir(), 'autotest-setuid-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Its processes belong to the owner of the file: whoever started them cannot end them. */
it.skipIf(process.platform !== 'linux' || process.geteuid?.() !== 0)(
  'a bubblewrap that runs as another user is not started',
  () => {
    const program = join(folder, 'bwrap')
    writeFileSync(program, '#!/bin/sh\nexit 1\n')
    const rung = () => {
      const host = { python: { executable: '/usr/bin/python3', folders: [] }, env: { PATH: folder } }
      return sandboxLadder(host).find(({ name }) => name === 'bubblewrap')?.sandbox
    }
    chmodSync(program, 0o4755)
    expect(rung()).toBeTypeOf('object')
    chownSync(program, 65_534, 65_534)
    chmodSync(program, 0o4755)
    expect(rung()).toBe(`${program} is setuid, and you could not end what it leaves behind`)
    chmodSync(program, 0o755)
    expect(rung()).toBeTypeOf('object')
  },
)
