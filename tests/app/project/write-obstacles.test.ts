import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findWriteObstacle } from '../../../src/app/project/write-obstacles.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'autotest-obstacle-'))
  mkdirSync(join(root, 'kb'))
  writeFileSync(join(root, 'kb/a.sql'), 'SELECT 1')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('obstacleTo', () => {
  it('finds none for a plain file, nor for a new one', async () => {
    expect(await findWriteObstacle(root, 'kb/a.sql')).toBeUndefined()
    expect(await findWriteObstacle(root, 'kb/new.sql')).toBeUndefined()
  })

  it('names a read-only file, for root as well', async () => {
    chmodSync(join(root, 'kb/a.sql'), 0o444)
    expect(await findWriteObstacle(root, 'kb/a.sql')).toBe('kb/a.sql is read-only')
  })

  it('names links of both kinds', async () => {
    linkSync(join(root, 'kb/a.sql'), join(root, 'twin'))
    expect(await findWriteObstacle(root, 'kb/a.sql')).toMatch(/hard link/)
    symlinkSync('a.sql', join(root, 'kb/b.sql'))
    expect(await findWriteObstacle(root, 'kb/b.sql')).toMatch(/symbolic link/)
  })
})
