import { describe, expect, it } from 'vitest'
import {
  canPipeline,
  exceededLimit,
  shouldGrow,
  shouldRecycle,
} from '../../../src/engine/pool/pool-policy.js'

const limits = { timeoutMs: 1000, memoryBytes: 100 }

describe('a running query', () => {
  it('is left alone within its limits', () => expect(exceededLimit(1000, 100, limits)).toBeUndefined())
  it('is over its deadline after it', () => expect(exceededLimit(1001, 100, limits)).toBe('deadline'))
  it('is over its memory first', () => expect(exceededLimit(1001, 101, limits)).toBe('memory'))
  it('is judged by time alone where memory is not known', () =>
    expect(exceededLimit(1, undefined, limits)).toBeUndefined())
})

describe('the pool', () => {
  it('grows when a query waits behind slow ones only', () => expect(shouldGrow(1, [251], 2)).toBe(true))
  it('does not grow for short queries', () => expect(shouldGrow(9, [251, 20], 4)).toBe(false))
  it('does not grow with nothing waiting', () => expect(shouldGrow(0, [9000], 2)).toBe(false))
  it('does not grow beyond its size', () => expect(shouldGrow(5, [300, 300], 2)).toBe(false))
})

it('a child that kept most of its memory is replaced', () => {
  expect([shouldRecycle(75, 100), shouldRecycle(76, 100)]).toEqual([false, true])
})

describe('a job is sent ahead of time', () => {
  const select = { request: { kind: 'query', sql: 'SELECT 1', rows: 1, bytes: 1 }, suspect: false } as const
  const build = { request: { kind: 'build', script: '', target: 'x' }, suspect: false } as const
  it('behind a reader of a child whose last job was short', () =>
    expect(canPipeline(select, select, 25)).toBe(true))
  it('not where jobs take long', () => expect(canPipeline(select, select, 26)).toBe(false))
  it('not behind or before one that writes', () =>
    expect([canPipeline(build, select, 1), canPipeline(select, build, 1)]).toEqual([false, false]))
  it('not behind or before one that may have ended a child', () => {
    const suspect = { ...select, suspect: true }
    expect([canPipeline(suspect, select, 1), canPipeline(select, suspect, 1)]).toEqual([false, false])
  })
})
