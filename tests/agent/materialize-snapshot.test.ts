import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMaterializer, type Materializer } from '../../src/agent/materialize-snapshot.js'
import { dauFiles, snapshotOf } from '../contracts/agent.contract.js'

function materializer(): Materializer {
  const made = createMaterializer('kb')
  onTestFinished(() => made.close())
  return made
}

describe('materialized snapshots', () => {
  it('hold the files, byte for byte and read-only', () => {
    const { kb } = materializer().use(snapshotOf(dauFiles))
    const file = join(kb, 'snippets/dau.sql')
    expect(readFileSync(file, 'utf8')).toBe(dauFiles['kb/snippets/dau.sql'])
    expect(statSync(file).mode & 0o222).toBe(0)
    expect(statSync(dirname(file)).mode & 0o222).toBe(0)
  })

  it('are written once for equal snapshots', () => {
    const copies = materializer()
    expect(copies.use(snapshotOf(dauFiles)).kb).toBe(copies.use(snapshotOf({ ...dauFiles })).kb)
  })

  it('stay while in use, and only the last few after', () => {
    const copies = materializer()
    const used = copies.use(snapshotOf({ 'kb/a.md': 'used' }))
    const folders = Array.from({ length: 6 }, (_, index) => {
      const copy = copies.use(snapshotOf({ 'kb/a.md': `${index}` }))
      copy.release()
      return copy.kb
    })
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false, true, true, true, true])
    expect(existsSync(used.kb)).toBe(true)
  })

  it('go when closed', () => {
    const copies = materializer()
    const { kb } = copies.use(snapshotOf(dauFiles))
    copies.close()
    expect(existsSync(dirname(dirname(kb)))).toBe(false)
  })

  it('go when the process exits without closing', () => {
    const script = `
      import { createMaterializer } from '${resolve('build/modules/agent/materialize-snapshot.js')}'
      import { createSnapshot } from '${resolve('build/modules/snapshot/snapshot.js')}'
      console.log(createMaterializer('kb').use(createSnapshot(new Map([['kb/a.md', Buffer.from('a')]]))).kb)
      process.exit(0)`
    const kb = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    }).trim()
    expect(kb).toMatch(/kb$/)
    expect(existsSync(kb)).toBe(false)
  })

  it('refuse a path that leads outside', () => {
    expect(() => materializer().use(snapshotOf({ '../../escaped.md': 'x' }))).toThrow(/is outside/)
  })
})
