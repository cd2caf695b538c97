import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Sqlite } from '../../src/platform/sqlite.js'
import { openStore, type RunStore } from '../../src/store/store.js'
import {
  attempt,
  caseRecord,
  detail,
  failingCase,
  hostileDetail,
  hostileText,
  passingSample,
  rejectedAttempt,
  run,
} from '../report/fixtures.js'

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

/** Reads the file as another process would. */
function rowsInFile(table: string): number {
  const database = new Sqlite(path, { readonly: true })
  const row = database.prepare<[], { count: number }>(`SELECT count(*) AS count FROM ${table}`).get()
  database.close()
  return row?.count ?? 0
}

describe('a stored run', () => {
  it('comes back as it was recorded', () => {
    const id = store.createRun({ ...run, root: '/project' })
    store.recordCases(
      id,
      detail.cases.map((record, position) => ({ ...record, position })),
    )
    store.recordAttempt(id, attempt, [])
    store.recordAttempt(id, rejectedAttempt, [])
    store.finishRun(id, run)
    expect(store.runDetail(id)).toEqual({
      run: { ...run, id, root: '/project' },
      cases: detail.cases.map((record, position) => ({ ...record, position })),
      attempts: [attempt, rejectedAttempt],
    })
  })

  it('keeps hostile names, wide characters and integers beyond 2^53', () => {
    const id = store.createRun(hostileDetail.run)
    const [record] = hostileDetail.cases
    if (record === undefined) throw new Error('the fixture has cases')
    store.recordCases(id, [record])
    const stored = store.runDetail(id)?.cases[0]
    // SQLite's text is UTF-8, which has no lone surrogates.
    expect(stored?.question.replace(/\ufffd+/, '\ud800')).toBe(hostileText)
    expect(stored?.sample.results).toEqual(record.sample.results)
  })

  it('gets an id of four digits, and a longer one where that is taken', async () => {
    store.close()
    store = await openStore(path, { now: () => new Date(), random: idsFrom('7f3a', '7f3a', '7f3a01') })
    expect([store.createRun(run), store.createRun(run)]).toEqual(['r-7f3a', 'r-7f3a01'])
  })

  it('is in benchmark order, whatever order its cases came in', () => {
    const id = store.createRun(run)
    store.recordCases(id, [caseRecord('b', { position: 1 }), caseRecord('a', { position: 0 })])
    expect(store.runDetail(id)?.cases.map((record) => record.caseId)).toEqual(['a', 'b'])
  })

  it('replaces a case when it is repaired and keeps the sample of its baseline', () => {
    const id = store.createRun(run)
    store.recordCases(id, [failingCase])
    const repaired = { ...failingCase, outcome: 'repaired', verdict: 'pass', sample: passingSample } as const
    store.recordCases(id, [repaired])
    expect(store.runDetail(id)?.cases).toEqual([repaired])
    const database = new Sqlite(path, { readonly: true })
    const samples = 'SELECT phase, verdict FROM samples JOIN scores ON sample = id ORDER BY id'
    expect(database.prepare(samples).all()).toEqual([
      { phase: 'baseline', verdict: 'fail' },
      { phase: 'verify', verdict: 'pass' },
    ])
    database.close()
  })

  it('stores no second sample where only the outcome changes', () => {
    const id = store.createRun(run)
    store.recordCases(id, [failingCase])
    store.recordCases(id, [{ ...failingCase, outcome: 'pending', cause: 'a plan waits' }])
    expect(store.runDetail(id)?.cases[0]?.outcome).toBe('pending')
    expect(rowsInFile('samples')).toBe(1)
  })

  it('keeps what a judge said for the runs after it', () => {
    const [first, second] = [store.createRun(run), store.createRun(run)]
    const said = { key: 'k', model: 'tiny', answer: 'equivalent', reason: 'alike' } as const
    store.recordJudgement(first, said)
    expect(store.judgement('k')).toEqual({ run: first, answer: 'equivalent', reason: 'alike' })
    store.recordJudgement(second, { ...said, answer: 'unsure' })
    expect(store.judgement('k')).toMatchObject({ run: second, answer: 'unsure' })
    expect(store.judgement('other')).toBeUndefined()
  })

  it('keeps each answer to a case that is asked repeatedly, before and after its row is there', () => {
    const id = store.createRun({ ...run, options: { ...run.options, repeat: 3 } })
    const answer = (number: number, sample = passingSample, fingerprint = 'f') => ({
      caseId: 'a',
      number,
      fingerprint,
      sample,
    })
    store.recordAnswer(id, answer(2, failingCase.sample))
    store.recordAnswer(id, answer(0))
    store.recordAnswer(id, answer(0, { ...passingSample, answer: 'SELECT 2' }))
    expect(store.answersOf(id)).toEqual([
      answer(0, { ...passingSample, answer: 'SELECT 2' }),
      answer(2, failingCase.sample),
    ])
    expect(store.finishedCases(id).size).toBe(0)
    store.recordCases(id, [{ ...failingCase, caseId: 'a' }])
    expect(store.runDetail(id)?.cases[0]).toEqual({ ...failingCase, caseId: 'a', answers: ['pass', 'fail'] })
    // The row stands for one of them, which is not kept twice.
    expect(rowsInFile('samples')).toBe(3)
  })

  it('does not count among them the answers to a failure that was asked again', () => {
    const answers = [0, 1, 2].map((number) => ({
      caseId: 'a',
      number,
      fingerprint: 'f',
      sample: passingSample,
    }))
    const shown = [undefined, 1, 2].map((repeat) => {
      const id = store.createRun({ ...run, options: repeat === undefined ? {} : { repeat } })
      for (const answer of answers) store.recordAnswer(id, answer)
      store.recordCases(id, [{ ...failingCase, caseId: 'a' }])
      return store.runDetail(id)?.cases[0]?.answers
    })
    expect(shown).toEqual([undefined, undefined, ['pass', 'pass']])
  })

  it('takes the decision and exit code when they are known, after its end', () => {
    const id = store.createRun(run)
    store.finishRun(id, { status: 'finished', finishedAt: run.finishedAt, knowledgeAfter: 'k' })
    expect(store.runDetail(id)?.run).toMatchObject({
      status: 'finished',
      decision: 'none',
      exitCode: undefined,
    })
    store.setDecision(id, 'committed', 0)
    store.setDecision(id, 'reverted')
    expect(store.runDetail(id)?.run).toMatchObject({ decision: 'reverted', exitCode: 0, knowledgeAfter: 'k' })
  })

  it('is unknown by any other name', () => {
    expect(store.runDetail('r-none')).toBeUndefined()
    expect(() => store.recordCases('r-none', [])).toThrowError(
      expect.objectContaining({ code: 'run_unknown' }),
    )
  })
})

describe('stored edits', () => {
  const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
  const changes = [
    { path: 'kb/a.sql', before: bytes('\u00ef\u00bb\u00bfa\r\n\u00ff'), after: bytes('b') },
    { path: 'kb/new.sql', before: null, after: bytes('') },
    { path: 'kb/gone.sql', before: bytes('x'), after: null },
  ]

  it('come back byte by byte, with files that were made and removed', () => {
    const id = store.createRun(run)
    store.recordAttempt(id, attempt, changes)
    expect(store.editsOf(id)).toEqual(changes.map((change) => ({ attemptId: 'p1', ...change })))
  })

  it('are those of accepted plans, unless one plan is named', () => {
    const id = store.createRun(run)
    store.recordAttempt(id, rejectedAttempt, changes)
    expect(store.editsOf(id)).toEqual([])
    expect(store.editsOf(id, 'p2')).toHaveLength(3)
    store.recordAttempt(id, attempt, changes)
    store.updateAttempt(id, 'p1', { outcome: 'reverted', commit: 'abc' })
    expect(store.editsOf(id)).toEqual([])
    expect(store.runDetail(id)?.attempts[1]).toMatchObject({ outcome: 'reverted', commit: 'abc' })
  })

  it('keep the outcome when only a commit is added, and miss no wrong id', () => {
    const id = store.createRun(run)
    store.recordAttempt(id, attempt, [])
    store.updateAttempt(id, 'p1', { commit: 'abc' })
    expect(store.runDetail(id)?.attempts[0]).toMatchObject({ outcome: 'accepted', commit: 'abc' })
    expect(() => store.updateAttempt(id, 'p9', {})).toThrowError(
      expect.objectContaining({ code: 'run_unknown' }),
    )
  })
})

describe('batches', () => {
  it('are written after 50 ms, or at 64 rows', async () => {
    const id = store.createRun(run)
    store.recordCases(id, [caseRecord('a')])
    expect(rowsInFile('cases')).toBe(0)
    await expect.poll(() => rowsInFile('cases'), { timeout: 2000 }).toBe(1)
    store.recordCases(
      id,
      Array.from({ length: 70 }, (_, at) => caseRecord(`c${at}`)),
    )
    expect(rowsInFile('cases')).toBe(65)
  })

  it('are written by flush, by the end of a run and by closing', () => {
    const id = store.createRun(run)
    store.recordCases(id, [caseRecord('a')])
    store.flush()
    expect(rowsInFile('cases')).toBe(1)
    store.recordCases(id, [caseRecord('b')])
    store.finishRun(id, run)
    expect(rowsInFile('cases')).toBe(2)
  })

  it('wait while another process writes, and lose nothing', async () => {
    const id = store.createRun(run)
    store.recordCases(id, [caseRecord('a')])
    const other = new Sqlite(path)
    other.exec('BEGIN IMMEDIATE')
    expect(() => store.flush()).toThrowError(
      expect.objectContaining({ code: 'store_unavailable', message: expect.stringContaining(path) }),
    )
    other.exec('ROLLBACK')
    other.close()
    store.flush()
    expect(store.runDetail(id)?.cases).toHaveLength(1)
  })

  it('write 5,000 cases recorded one by one in some eighty transactions', () => {
    const id = store.createRun(run)
    const other = new Sqlite(path, { readonly: true })
    const states = new Set<unknown>()
    for (let at = 0; at < 5000; at++) {
      store.recordCases(id, [{ ...failingCase, caseId: `c${at}`, position: at }])
      // A number for each state that others have committed.
      states.add(other.pragma('data_version', { simple: true }))
    }
    other.close()
    store.flush()
    expect(states.size).toBeLessThan(5000 / 32)
    expect(rowsInFile('cases')).toBe(5000)
  })
})

it('stores no secret in any table', async () => {
  store.close()
  const secret = 'sk-live-123456789'
  store = await openStore(path, { now: () => new Date(), env: { OPENAI_API_KEY: secret } })
  const id = store.createRun({ ...run, engine: `postgres://u:${secret}@h/db`, options: { key: secret } })
  const sample = { ...failingCase.sample, message: secret, answer: `SELECT '${secret}'`, reason: secret }
  store.recordCases(id, [{ ...failingCase, question: secret, cause: secret, sample }])
  store.recordAnswer(id, { caseId: 'a', number: 0, fingerprint: 'f', sample })
  store.recordAttempt(id, { ...attempt, title: secret, reasoning: secret, reason: secret }, [])
  store.recordJudgement(id, { key: 'k', model: 'tiny', answer: 'not', reason: secret })
  store.flush()
  const database = new Sqlite(path)
  const all = ['runs', 'cases', 'samples', 'scores', 'attempts', 'edits', 'judgements'].flatMap((table) =>
    database.prepare(`SELECT * FROM ${table}`).all(),
  )
  database.close()
  expect(all.length).toBeGreaterThanOrEqual(8)
  expect(JSON.stringify(all)).not.toContain(secret)
})
