import { describe, expect, it } from 'vitest'
import { forEachConcurrent } from '../../src/run/for-each-concurrent.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('schedule', () => {
  it('does everything once, at most so many at a time', async () => {
    let running = 0
    let most = 0
    const done: number[] = []
    await forEachConcurrent([1, 2, 3, 4, 5, 6, 7], 3, undefined, async (item) => {
      most = Math.max(most, ++running)
      await pause(2)
      running--
      done.push(item)
    })
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(most).toBe(3)
  })

  it('starts nothing new once aborted, and waits for what is under way', async () => {
    const abort = new AbortController()
    const done: number[] = []
    await forEachConcurrent([1, 2, 3, 4], 1, abort.signal, async (item) => {
      if (item === 2) abort.abort()
      await pause(1)
      done.push(item)
    })
    expect(done).toEqual([1, 2])
  })

  it('stops at the first error and throws it after the others ended', async () => {
    const done: number[] = []
    const work = forEachConcurrent([1, 2, 3, 4, 5, 6], 2, undefined, async (item) => {
      if (item === 1) throw new Error('broken')
      await pause(5)
      done.push(item)
    })
    await expect(work).rejects.toThrow('broken')
    expect(done).toEqual([2])
  })
})
