import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import { postgresKind } from '../../../src/engine/server/postgres.js'
import { resultOf } from '../../contracts/engine.contract.js'
import { needsPooler, type Relative, startPooler, startReplica } from './postgres-relatives.js'
import { needsPostgres, type PostgresServer, startPostgres } from './postgres-server.js'

const limits: QueryLimits = { timeoutMs: 10_000, rows: 2000, bytes: 1_000_000, memoryBytes: 400_000_000 }
const started = await startPostgres()
const server = started as PostgresServer
const pooler = started === undefined ? undefined : await startPooler(server)
let replica: Relative | undefined
const opened: Engine[] = []

async function open(port: number, concurrency = 4): Promise<Engine> {
  const options = { root: '/', concurrency, memoryBytes: 400_000_000 }
  const engine = await postgresKind.open(`//reader@127.0.0.1:${port}/postgres`, options)
  opened.push(engine)
  return engine
}

beforeAll(async () => {
  if (started === undefined) return
  process.env['PGPASSWORD'] = 'reader'
  await server.run('CREATE TABLE held AS SELECT generate_series(1, 400) AS x; GRANT SELECT ON held TO reader')
  replica = await startReplica(server)
}, 60_000)
afterAll(async () => {
  delete process.env['PGPASSWORD']
  for (const engine of opened) await engine.close()
  replica?.stop()
  pooler?.stop()
  started?.stop()
})

describe('a replica of a PostgreSQL', needsPostgres, () => {
  it('answers like the primary, and says when it ends a query for what the primary removed', async () => {
    const engine = await open(replica?.port ?? 0)
    expect(resultOf(await engine.query('SELECT count(*) FROM held', limits)).rows).toEqual([[400]])
    const slow = engine.query('SELECT x, pg_sleep(0.02)::text FROM held ORDER BY x', limits)
    const ended = expect(slow).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/the replica cancelled the query/),
      hint: expect.stringMatching(/max_standby_streaming_delay/),
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    await server.run('DELETE FROM held WHERE x > 100')
    await server.run('VACUUM held')
    await ended
    expect(resultOf(await engine.query('SELECT count(*) FROM held', limits)).rows).toEqual([[100]])
  }, 30_000)
})

describe('a pooler in transaction mode', needsPooler, () => {
  it('answers more queries at once than it has connections, each with settings of its own', async () => {
    const engine = await open(pooler?.port ?? 0, 8)
    const sql =
      "SELECT current_setting('TimeZone'), current_setting('transaction_read_only'), pg_sleep(0.1)::text"
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => engine.query(sql, limits)))
    for (const outcome of outcomes) expect(resultOf(outcome).rows).toEqual([['UTC', 'on', '']])
  })

  it('leaves no setting behind, and ends a query at its deadline', async () => {
    const engine = await open(pooler?.port ?? 0)
    const begun = performance.now()
    const late = await engine.query('SELECT pg_sleep(30)::text', { ...limits, timeoutMs: 500 })
    expect(late).toMatchObject({ kind: 'killed', limit: 'deadline' })
    expect(performance.now() - begun).toBeLessThan(2500)
    expect((await engine.query("SELECT set_config('TimeZone', 'Asia/Tokyo', false)", limits)).kind).toBe(
      'refused',
    )
    const other = new Client({ host: '127.0.0.1', port: pooler?.port, user: 'reader', database: 'postgres' })
    await other.connect()
    for (let at = 0; at < 4; at++)
      expect((await other.query('SHOW DateStyle')).rows).toEqual([{ DateStyle: 'ISO, MDY' }])
    await other.end()
  })

  it('an error says what the query is about', async () => {
    const engine = await open(pooler?.port ?? 0)
    expect(await engine.query('SELECT x FROM absent', limits)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/absent/),
    })
  })
})
