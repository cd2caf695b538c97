import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { idleConnections } from '../../../src/engine/child/idle-connections.js'
import { RequestClock } from '../../../src/engine/child/request-clock.js'

interface Connection {
  readonly id: number
  lose: () => void
}

function pool(reset: (connection: Connection) => Promise<void> = async () => undefined) {
  let opened = 0
  const ended: number[] = []
  const connections = idleConnections<Connection>({
    open: async () => ({ id: ++opened, lose: () => undefined }),
    reset,
    end: async ({ id }) => void ended.push(id),
    watch: (connection, onLost) => {
      connection.lose = onLost
    },
  })
  const { giveBack, endIdle } = connections
  return { ended, giveBack, endIdle, take: () => connections.take(new RequestClock(1000)) }
}

describe('connections that are used again', () => {
  it('are those that were given back, one user at a time', async () => {
    const { take, giveBack } = pool()
    const [first, second] = [await take(), await take()]
    expect([first.id, second.id]).toEqual([1, 2])
    await giveBack(first)
    expect(await take()).toBe(first)
    expect((await take()).id).toBe(3)
  })

  it('are ended when nobody takes them', async () => {
    const { take, giveBack, ended } = pool()
    await giveBack(await take())
    await expect.poll(() => ended).toEqual([1])
    expect((await take()).id).toBe(2)
  })

  it('are ended where they break, idle or in use', async () => {
    const { take, giveBack, ended } = pool()
    const [idle, used] = [await take(), await take()]
    await giveBack(idle)
    idle.lose()
    used.lose()
    await giveBack(used)
    expect(ended).toEqual([1, 2])
    expect((await take()).id).toBe(3)
  })

  it('are ended where they cannot be reset, or not soon', async () => {
    const failing = pool(() => Promise.reject(new Error('gone')))
    await failing.giveBack(await failing.take())
    expect(failing.ended).toEqual([1])
    vi.useFakeTimers()
    const hanging = pool(() => new Promise(() => undefined))
    const given = hanging.giveBack(await hanging.take())
    await vi.advanceTimersByTimeAsync(1000)
    await given
    vi.useRealTimers()
    expect(hanging.ended).toEqual([1])
    await sleep(1)
    expect((await hanging.take()).id).toBe(2)
  })

  it('are ended together', async () => {
    const { take, giveBack, endIdle, ended } = pool()
    const taken = [await take(), await take(), await take()]
    for (const connection of taken.slice(1)) await giveBack(connection)
    await endIdle()
    expect(ended.sort()).toEqual([2, 3])
  })
})
