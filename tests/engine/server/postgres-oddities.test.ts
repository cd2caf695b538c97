import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import { postgresKind } from '../../../src/engine/server/postgres.js'
import { resultOf } from '../../contracts/engine.contract.js'
import { needsPostgres, type PostgresServer, startPostgres } from './postgres-server.js'

const limits: QueryLimits = { timeoutMs: 10_000, rows: 20_000, bytes: 64_000_000, memoryBytes: 400_000_000 }
// A server far from here, whose settings are nobody's.
const started = await startPostgres({
  timezone: 'Asia/Kolkata',
  datestyle: 'German',
  intervalstyle: 'iso_8601',
})
const server = started as PostgresServer
afterAll(() => started?.stop())

const opened: Engine[] = []
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})
async function open(): Promise<Engine> {
  const env = { PGPASSWORD: 'reader' }
  const engine = await postgresKind.open(server.address(), {
    root: '/',
    concurrency: 2,
    memoryBytes: 4e8,
    env,
  })
  opened.push(engine)
  return engine
}
const rowsOf = async (engine: Engine, sql: string) => resultOf(await engine.query(sql, limits)).rows

describe('what is odd about a PostgreSQL server', needsPostgres, () => {
  it('another time zone and other styles of dates change no value', async () => {
    const sql = "SELECT TIMESTAMPTZ '2024-02-29 12:00:00+00', DATE '2024-02-29', INTERVAL '1 day 2 hours'"
    expect(await rowsOf(await open(), sql)).toEqual([
      [
        { kind: 'timestamp', text: '2024-02-29 12:00:00+00' },
        { kind: 'date', text: '2024-02-29' },
        { kind: 'other', type: 'interval', text: '1 day 02:00:00' },
      ],
    ])
  })

  it('names with quotes, newlines and letters of any kind are listed and read', async () => {
    const name = 'we"ird\n🙂 table'
    const quoted = `"${name.replaceAll('"', '""')}"`
    await server.run(
      `CREATE TABLE ${quoted} ("co""l\n1" integer); INSERT INTO ${quoted} VALUES (7); GRANT SELECT ON ${quoted} TO reader`,
    )
    const engine = await open()
    expect(resultOf(await engine.query(`SELECT * FROM ${quoted}`, limits))).toMatchObject({
      columns: [{ name: 'co"l\n1' }],
      rows: [[7]],
    })
    const { tables } = await engine.catalogue()
    expect(tables.find((table) => table.name.includes('ird'))).toMatchObject({
      name: quoted,
      columns: [{ name: 'co"l\n1' }],
    })
  })

  it('more columns than the server allows are a failure of the query in one line', async () => {
    const columns = Array.from({ length: 5000 }, (_, at) => `${at} AS c${at}`)
    expect(await (await open()).query(`SELECT ${columns}`, limits)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^target lists can have at most 1664 entries$/),
    })
  })

  it('no right on one table is a failure that names it; others are read', async () => {
    await server.run(
      'CREATE TABLE secret (x integer); CREATE TABLE open (x integer); GRANT SELECT ON open TO reader',
    )
    const engine = await open()
    expect(await engine.query('SELECT * FROM secret', limits)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/secret/),
    })
    expect(await rowsOf(engine, 'SELECT count(*) FROM open')).toEqual([[0]])
  })

  it('a table that changes between two queries changes the fingerprint', async () => {
    await server.run('CREATE TABLE moving (x integer); GRANT SELECT ON moving TO reader')
    const engine = await open()
    const before = await engine.fingerprint()
    await server.run('INSERT INTO moving SELECT * FROM generate_series(1, 100)')
    await expect.poll(() => engine.fingerprint(), { timeout: 5000 }).not.toBe(before)
  })
})
