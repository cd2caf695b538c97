import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore, type RunStore } from '../../src/store/store.js'
import { attempt, caseRecord, run } from '../report/fixtures.js'

let folder = ''
let path = ''
let store: RunStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'autotest-store-'))
  path = join(folder, 'autotest.db')
  store = await openStore(path, { now: () => new Date('2026-11-20T10:11:12Z'), env: {} })
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const idsFrom = (...digits: string[]) => {
  const given = digits.map((digit) => Buffer.from(digit, 'hex'))
  return () => given.shift() ?? Buffer.from('ffffffff', 'hex')
}

describe('finding runs and cases', () => {
  it('knows what is finished and what failed, in benchmark order', () => {
    const id = store.createRun(run)
    const outcomes = ['passed', 'repaired', 'failed', 'unproven', 'errored', 'skipped', 'pending'] as const
    store.recordCases(
      id,
      outcomes.map((outcome, position) => caseRecord(outcome, { outcome, position: 10 - position })),
    )
    expect(store.caseIdsWith(id, ['failed', 'unproven', 'errored', 'pending'])).toEqual([
      'pending',
      'errored',
      'unproven',
      'failed',
    ])
    expect([...store.finishedCases(id).keys()].sort()).toEqual(
      outcomes.filter((outcome) => outcome !== 'skipped').sort(),
    )
  })

  it('lists the newest first with counts from the rows', () => {
    const first = store.createRun(run)
    const second = store.createRun(run)
    store.recordCases(first, [caseRecord('a'), caseRecord('b', { outcome: 'failed' })])
    store.recordAttempt(first, attempt, [])
    const listed = store.listRuns({ limit: 10 })
    expect(listed.map(({ id }) => id)).toEqual([second, first])
    expect(listed[1]).toMatchObject({ repairs: 1, counts: { passed: 1, failed: 1, repaired: 0 } })
    expect(store.listRuns({ limit: 1 })).toHaveLength(1)
  })

  it('finds the latest run of a project, and those without an end', () => {
    const mine = store.createRun({ ...run, root: '/mine' })
    const other = store.createRun({ ...run, root: '/other' })
    store.finishRun(mine, { ...run, status: 'interrupted' })
    expect(store.latestRun()?.id).toBe(other)
    expect(store.latestRun({ root: '/mine' })?.id).toBe(mine)
    expect(store.unfinishedRuns('/mine')).toEqual([])
    const running = store.createRun({ ...run, root: '/mine' })
    expect(store.unfinishedRuns('/mine').map(({ id }) => id)).toEqual([running])
  })

  it('holds the runs that it began or goes on with until it is closed', async () => {
    const begun = store.createRun(run)
    const other = await openStore(path, { now: () => new Date(), env: {} })
    expect([store.isHeld(begun), other.isHeld(begun)]).toEqual([true, true])
    expect(() => other.holdRun(begun)).toThrowError(
      expect.objectContaining({ code: 'project_locked', message: expect.stringContaining(begun) }),
    )
    store.holdRun(begun)
    store.close()
    expect(other.isHeld(begun)).toBe(false)
    other.holdRun(begun)
    store = await openStore(path, { now: () => new Date(), env: {} })
    expect(store.isHeld(begun)).toBe(true)
    other.close()
    store.holdRun(begun)
    store.close()
    expect(readdirSync(folder)).toEqual(['autotest.db'])
  })

  it('removes what killed runs left beside the database when it begins, and nothing else', async () => {
    const other = await openStore(path, { now: () => new Date(), env: {}, random: idsFrom('aaaa') })
    other.createRun(run)
    for (const name of ['autotest.db-r-7f3a.lock', 'autotest.db-r-notes.lock', 'b.db-r-7f3a.lock'])
      writeFileSync(join(folder, name), '')
    const begun = store.createRun(run)
    expect(
      readdirSync(folder)
        .filter((name) => name.endsWith('.lock'))
        .sort(),
    ).toEqual(
      [
        'autotest.db-r-aaaa.lock',
        `autotest.db-${begun}.lock`,
        'autotest.db-r-notes.lock',
        'b.db-r-7f3a.lock',
      ].sort(),
    )
    expect(store.isHeld('r-aaaa')).toBe(true)
    other.close()
    expect(store.isHeld('r-aaaa')).toBe(false)
  })

  it('looks at a run without leaving anything', () => {
    expect(store.isHeld('r-7f3a')).toBe(false)
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  it('resolves "last" and the start of an id, and says what it could be', async () => {
    store.close()
    const random = idsFrom('7f3a', '7f3b', '7f3a', '7f3a01')
    store = await openStore(path, { now: () => new Date(), random })
    const unknown = (hint: RegExp): unknown =>
      expect.objectContaining({ code: 'run_unknown', hint: expect.stringMatching(hint) })
    expect(() => store.resolveRun('last')).toThrowError(unknown(/record one/))
    for (let at = 0; at < 3; at++) store.createRun(run)
    expect(store.resolveRun('last')).toBe('r-7f3a01')
    expect(store.resolveRun('r-7f3b')).toBe('r-7f3b')
    expect(store.resolveRun('7f3a0')).toBe('r-7f3a01')
    expect(store.resolveRun('r-7f3a')).toBe('r-7f3a')
    expect(() => store.resolveRun('r-7f')).toThrowError(unknown(/r-7f3a01, r-7f3b, r-7f3a/))
    expect(() => store.resolveRun('r-%')).toThrowError(unknown(/latest are r-7f3a01/))
    expect(() => store.resolveRun('')).toThrowError(unknown(/latest/))
  })
})
