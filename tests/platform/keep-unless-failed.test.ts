import { expect, it } from 'vitest'
import { keepUnlessFailed } from '../../src/platform/keep-unless-failed.js'

it('makes a value once, for all who wait for it', async () => {
  const cache = new Map<string, Promise<number>>()
  let made = 0
  const get = (): Promise<number> => keepUnlessFailed(cache, 'a', async () => ++made)
  expect(await Promise.all([get(), get()])).toEqual([1, 1])
  expect(await get()).toBe(1)
})

it('makes it anew after a failure, which all who waited for it have', async () => {
  const cache = new Map<string, Promise<number>>()
  let tries = 0
  const get = (): Promise<number> =>
    keepUnlessFailed(cache, 'a', async () => {
      if (++tries === 1) throw new Error('disk full')
      return tries
    })
  const first = await Promise.allSettled([get(), get()])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await get()).toBe(2)
  expect(tries).toBe(2)
})
