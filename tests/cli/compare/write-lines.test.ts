import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { lineWriter } from '../../../src/cli/compare/write-lines.js'

describe('a line writer', () => {
  it('waits while the stream takes no more', async () => {
    const taken: string[] = []
    let release = (): void => undefined
    const slow = new Writable({
      highWaterMark: 4,
      write(chunk, _encoding, done) {
        taken.push(String(chunk))
        release = done
      },
    })
    const write = lineWriter(slow)
    let answered = false
    const writing = write('a long line').then((more) => {
      answered = true
      return more
    })
    await new Promise(setImmediate)
    expect([taken, answered]).toEqual([['a long line\n'], false])
    release()
    expect(await writing).toBe(true)
  })

  it('says so when nobody reads any more', async () => {
    const closed = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const write = lineWriter(closed)
    expect(await write('a')).toBe(false)
    expect(await write('b')).toBe(false)
  })
})
