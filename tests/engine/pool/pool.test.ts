import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Request } from '../../../src/engine/child/protocol.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { EnginePool } from '../../../src/engine/pool/pool.js'
import { needsProc, needsTwoCores } from '../../needs.js'
import { openScript, scratch } from '../temporary-database.js'

const limits = { timeoutMs: 60_000, memoryBytes: 400e6 }
/** For what never ends; what is answered may take its time on a busy machine. */
const brief = { ...limits, timeoutMs: 1500 }
const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'
/** DuckDB counts numbers by the million in no time, and these pairs never. */
const endlessJoin =
  'SELECT count(*) FROM range(1000000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5'
const query = (sql: string): Request => ({ kind: 'query', sql, rows: 10, bytes: 1000 })

async function startedPool(concurrency: number): Promise<{ pool: EnginePool; child: number }> {
  const folder = scratch()
  await openScript(sqliteKind, folder, 'CREATE TABLE t (x INTEGER);')
  const path = join(folder, 'test.db')
  const pool = new EnginePool({
    scheme: 'sqlite',
    open: { kind: 'open', path, memoryBytes: 1e8 },
    name: 'test.db',
    concurrency,
  })
  onTestFinished(() => pool.close())
  const before = childrenOf(process.pid)
  await pool.start()
  return { pool, child: childrenOf(process.pid).find((pid) => !before.includes(pid)) ?? 0 }
}

/** Whatever runs takes no time for the pool, however busy the machine is. */
async function inNoTime<T>(work: () => Promise<T>): Promise<T> {
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now)
  try {
    return await work()
  } finally {
    clock.mockRestore()
  }
}

describe('the pool of engine processes', () => {
  it('serves many short queries at once from one process', async () => {
    const { pool } = await startedPool(8)
    await inNoTime(() => Promise.all(Array.from({ length: 500 }, () => pool.run(query('SELECT 1'), limits))))
    expect(pool.size).toBe(1)
  })

  it('adds a process when a query waits behind a slow one', needsTwoCores, async () => {
    const { pool } = await startedPool(8)
    const slow = pool.run(query(endless), limits)
    await pool.run(query('SELECT 1'), limits)
    expect(pool.size).toBe(2)
    await pool.close()
    expect(await slow).toMatchObject({ kind: 'killed', message: 'the engine was closed' })
  })

  it('stays at one process when told so, and answers in turn', async () => {
    const { pool } = await startedPool(1)
    const answers = await Promise.all([
      pool.run(query(endless), { ...brief, timeoutMs: 400 }),
      pool.run(query('SELECT 1'), limits),
    ])
    expect(answers.map((answer) => answer.kind)).toEqual(['killed', 'outcome'])
    expect(pool.size).toBe(1)
  })

  it('answers first, in turn, whether a query would run: an agent waits for that', async () => {
    const { pool } = await startedPool(1)
    const order: string[] = []
    const told = (name: string, request: Request) => pool.run(request, limits).then(() => order.push(name))
    const explain: Request = { kind: 'explain', sql: 'SELECT 1' }
    await Promise.all([
      told('under way', query('SELECT 1')),
      told('query 1', query('SELECT 1')),
      told('query 2', query('SELECT 2')),
      told('explain 1', explain),
      told('explain 2', explain),
    ])
    expect(order).toEqual(['under way', 'explain 1', 'explain 2', 'query 1', 'query 2'])
  })

  it('says why when the process does not start', async () => {
    const pool = new EnginePool({
      scheme: 'nothing',
      open: { kind: 'open', path: 'x', memoryBytes: 1 },
      name: 'x.db',
      concurrency: 1,
    })
    await expect(pool.start()).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('no driver for engine "nothing"'),
    })
    await pool.close()
  })

  it('answers as killed when the process is ended from outside', needsProc, async () => {
    const { pool, child } = await startedPool(1)
    const answer = pool.run(query(endless), { ...limits, timeoutMs: 10_000 })
    process.kill(child, 'SIGKILL')
    expect(await answer).toMatchObject({ kind: 'killed', message: expect.stringContaining('SIGKILL') })
    expect((await pool.run(query('SELECT 1'), limits)).kind).toBe('outcome')
  })

  it('replaces a process that was ended while idle', needsProc, async () => {
    const { pool, child } = await startedPool(1)
    process.kill(child, 'SIGKILL')
    await vi.waitFor(() => expect(childrenOf(process.pid)).not.toContain(child))
    expect((await pool.run(query('SELECT 1'), limits)).kind).toBe('outcome')
  })

  it.each([
    ['sqlite', 'SIGKILL', endless],
    ['duckdb', 'SIGKILL', endlessJoin],
    ['duckdb', 'SIGHUP', endlessJoin],
  ] as const)(
    'leaves no process of %s behind when its parent is ended by %s in a query',
    needsProc,
    async (scheme, signal, sql) => {
      const folder = scratch()
      await openScript(scheme === 'sqlite' ? sqliteKind : duckdbKind, folder, 'CREATE TABLE t (x INTEGER);')
      const module = pathToFileURL(resolve(`build/modules/engine/file/${scheme}.js`)).href
      writeFileSync(
        join(folder, 'parent.mjs'),
        `import { ${scheme}Kind } from '${module}'
       const engine = await ${scheme}Kind.open('test.db', { root: '${folder}', concurrency: 1, memoryBytes: 4e8 })
       setTimeout(() => console.log('running'), 300)
       await engine.query('${sql}', { timeoutMs: 60000, rows: 1, bytes: 1000, memoryBytes: 4e8 })`,
      )
      const parent = spawn(process.execPath, [join(folder, 'parent.mjs')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await new Promise((done) => parent.stdout.once('data', done))
      const [child = 0] = childrenOf(parent.pid ?? 0)
      onTestFinished(() => {
        if (running(child)) process.kill(child, 'SIGKILL')
      })
      expect(existsSync(`/proc/${child}`)).toBe(true)
      parent.kill(signal)
      await vi.waitFor(() => expect(running(child)).toBe(false), { timeout: 60_000, interval: 50 })
    },
  )
})

describe('a query that was sent behind a short one, before its turn', () => {
  const nth = (n: number): Request => query(`SELECT ${n}`)
  const answerOf = (n: number) => ({ kind: 'outcome', outcome: { kind: 'rows', result: { rows: [[n]] } } })
  /** Only behind a short query is another one sent. */
  const warmed = (pool: EnginePool) => inNoTime(() => pool.run(nth(1), limits))

  it('is answered with its own rows', async () => {
    const { pool } = await startedPool(1)
    const numbers = Array.from({ length: 200 }, (_, n) => n)
    const answers = await Promise.all(numbers.map((n) => pool.run(nth(n), limits)))
    expect(answers).toMatchObject(numbers.map(answerOf))
  })

  it('is asked again when the one before it is killed at its deadline', async () => {
    const { pool } = await startedPool(1)
    await warmed(pool)
    const answers = await Promise.all([
      pool.run(query(endless), { ...brief, timeoutMs: 400 }),
      pool.run(nth(2), limits),
      pool.run(nth(3), limits),
    ])
    expect(answers).toMatchObject([{ kind: 'killed', limit: 'deadline' }, answerOf(2), answerOf(3)])
  })

  it('is taken over by another process when that one is slow, and answered once', needsTwoCores, async () => {
    const { pool } = await startedPool(8)
    await warmed(pool)
    const order: string[] = []
    const slow = pool.run(query(endless), limits).then((answer) => order.push(answer.kind))
    expect(await pool.run(nth(2), limits)).toMatchObject(answerOf(2))
    order.push('behind')
    expect(pool.size).toBe(2)
    expect(await pool.run(nth(3), limits)).toMatchObject(answerOf(3))
    await pool.close()
    await slow
    expect(order).toEqual(['behind', 'killed'])
  })

  it('is not blamed when the process dies: both run again, each alone', needsProc, async () => {
    const { pool, child } = await startedPool(1)
    await warmed(pool)
    const answers = Promise.all([pool.run(query(endless), brief), pool.run(nth(2), limits)])
    process.kill(child, 'SIGKILL')
    expect(await answers).toMatchObject([{ kind: 'killed', limit: 'deadline' }, answerOf(2)])
  })

  it('is answered as closed with the pool', async () => {
    const { pool } = await startedPool(1)
    await warmed(pool)
    const answers = Promise.all([pool.run(query(endless), limits), pool.run(nth(2), limits)])
    await pool.close()
    const closed = { kind: 'killed', message: 'the engine was closed' }
    expect(await answers).toMatchObject([closed, closed])
  })
})

function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`
  const text = existsSync(list) ? readFileSync(list, 'utf8').trim() : ''
  return text === '' ? [] : text.split(' ').map(Number)
}

/** Whether a process runs; one that ended and waits to be reaped does not. */
function running(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
