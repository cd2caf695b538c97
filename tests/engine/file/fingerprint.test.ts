import { truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../../src/engine/file/fingerprint.js'
import { scratch } from '../temporary-database.js'

describe('a fingerprint', () => {
  it('of a small file depends on its bytes and not on its time', async () => {
    const path = join(scratch(), 'a')
    writeFileSync(path, 'one')
    const one = await fingerprintOf([path])
    utimesSync(path, 1, 1)
    expect(await fingerprintOf([path])).toBe(one)
    writeFileSync(path, 'two')
    expect(await fingerprintOf([path])).not.toBe(one)
  })

  it('distinguishes an absent log from an empty one and from bytes of the database', async () => {
    const folder = scratch()
    const [path, log] = [join(folder, 'a'), join(folder, 'a-wal')]
    writeFileSync(path, 'one')
    const without = await fingerprintOf([path, log])
    writeFileSync(log, '')
    const empty = await fingerprintOf([path, log])
    writeFileSync(log, 'x')
    expect(new Set([without, empty, await fingerprintOf([path, log])]).size).toBe(3)
  })

  it('of a large file depends on its time and its ends', async () => {
    const path = join(scratch(), 'large')
    writeFileSync(path, 'head')
    truncateSync(path, 65 * 1024 * 1024)
    utimesSync(path, 1, 1)
    const first = await fingerprintOf([path])
    expect(await fingerprintOf([path])).toBe(first)
    utimesSync(path, 2, 2)
    expect(await fingerprintOf([path])).not.toBe(first)
  })
})
