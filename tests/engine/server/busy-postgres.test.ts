import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { postgresKind } from '../../../src/engine/server/postgres.js'
import { busyLimits, outcomesOf, repeated } from './busy-outcomes.js'
import { type PostgresServer, startPostgres } from './postgres-server.js'
import { startProxy } from './stoppable-proxy.js'
import { freePort, unprivileged } from './unprivileged.js'

const started = await startPostgres()
const server = started as PostgresServer
afterAll(() => started?.stop())

const opened: Engine[] = []
const notes: string[] = []
async function open(address: string, concurrency = 4): Promise<Engine> {
  const onNote = (text: string): void => void (text.includes('rights beyond reading') || notes.push(text))
  const allowFunctions = ['lock']
  const options = { root: '/', concurrency, memoryBytes: 4e8, onNote, allowFunctions }
  const engine = await postgresKind.open(address, options)
  opened.push(engine)
  return engine
}

/** Holds what SQL takes until `end` is called. */
async function session(user: string, sql: string) {
  const client = new Client({
    ...{ host: '127.0.0.1', port: server.port, user, database: 'postgres' },
    password: user === 'postgres' ? 'postgres' : 'reader',
  })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(sql)
  return client
}

const right = 'SELECT count(*) FROM orders'
/** What an agent may write that never ends; `lock` is a function that takes an advisory lock. */
const slow = [
  'SELECT pg_sleep(60)',
  'SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b',
  'SELECT lock(), pg_sleep(60)',
  "SELECT count(*) FROM orders o, orders p, orders q, orders r WHERE md5(o.id::text || p.id || q.id || r.id) = 'x'",
]
const slept = repeated(slow.length, 'killed deadline')

describe.skipIf(started === undefined)('a PostgreSQL that others keep busy', () => {
  beforeAll(async () => {
    process.env['PGPASSWORD'] = 'reader'
    await server.run(`CREATE TABLE orders AS SELECT g AS id FROM generate_series(1, 2000) g;
      CREATE TABLE free AS SELECT 1 AS x;
      CREATE FUNCTION lock() RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(7); END';
      CREATE ROLE one LOGIN PASSWORD 'reader' CONNECTION LIMIT 1;
      GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC`)
  })
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close()
    notes.splice(0)
  })
  afterAll(() => {
    delete process.env['PGPASSWORD']
  })

  it('an agent that is slow fails by its deadline on an idle server', async () => {
    expect(await outcomesOf(await open(server.address()), slow)).toEqual(slept)
  })

  it('with one connection for the role, right answers wait for each other, and slow ones fail', async () => {
    const engine = await open(server.address({ role: 'one' }))
    expect(await outcomesOf(engine, repeated(16, right))).toEqual(repeated(16, 'rows'))
    expect(await outcomesOf(engine, [...slow, right])).toEqual([...slept, 'rows'])
    expect(notes).toEqual([expect.stringMatching(/too many connections for role "one".*fewer queries/)])
  })

  it('a connection that somebody else has is waited for, and then named as what is missing', async () => {
    const engine = await open(server.address({ role: 'one' }))
    await expect.poll(() => server.sessions('one'), { timeout: 3000 }).toBe(0)
    const other = await session('one', 'SELECT 1')
    await expect(engine.query(right, busyLimits)).rejects.toMatchObject({
      code: 'engine_busy',
      message: expect.stringMatching(/waited 1\.5 s for a connection: too many connections for role "one"/),
    })
    expect(await outcomesOf(engine, repeated(4, right))).toEqual(repeated(4, 'engine_busy'))
    const waiting = outcomesOf(engine, [right])
    await other.end()
    expect(await waiting).toEqual(['rows'])
    await expect.poll(() => server.sessions('one'), { timeout: 3000 }).toBe(0)
    const again = await session('one', 'SELECT 1')
    await expect(open(server.address({ role: 'one', query: '?connect_timeout=2' }))).rejects.toMatchObject({
      code: 'engine_busy',
      message: expect.stringMatching(/too many connections for role "one"/),
    })
    await again.end()
  })

  it('a lock of another session is no time of the query; slow queries beside it fail', async () => {
    const engine = await open(server.address())
    const migration = await session('postgres', 'BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
    await expect(engine.query(right, busyLimits)).rejects.toMatchObject({
      code: 'engine_busy',
      message: expect.stringMatching(/for a lock on orders, which another session holds/),
    })
    const own = [
      'SELECT pg_sleep(60) FROM free',
      'SELECT lock(), pg_sleep(60)',
      'SELECT lock(), pg_sleep(60)',
    ]
    expect(await outcomesOf(engine, own)).toEqual(repeated(3, 'killed deadline'))
    // What it waited for is not counted: the query has its whole time afterwards.
    const late = engine.query('SELECT count(*), pg_sleep(1)::text FROM orders', busyLimits)
    setTimeout(() => void migration.query('COMMIT'), 1000)
    expect((await late).kind).toBe('rows')
    await migration.end()
  })

  it('a network that is silent is none either, before a query and while it runs', async () => {
    const proxy = await startProxy(server.port)
    const engine = await open(`//reader@127.0.0.1:${proxy.port}/postgres`)
    const running = outcomesOf(engine, ['SELECT pg_sleep(0.5)::text', right])
    await new Promise((resolve) => setTimeout(resolve, 200))
    proxy.stop()
    expect((await running)[0]).toBe('engine_busy')
    expect(await outcomesOf(engine, [right])).toEqual(['engine_busy'])
    proxy.goOn()
    expect(await outcomesOf(engine, [right, ...slow])).toEqual(['rows', ...slept])
    proxy.end()
  }, 30_000)

  it('a backend that is killed is no wrong answer', async () => {
    const engine = await open(server.address())
    const running = outcomesOf(engine, ['SELECT pg_sleep(1)::text', 'SELECT pg_sleep(1)::text'])
    await expect.poll(() => server.sessions('reader')).toBe(2)
    await server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
    expect(await running).toEqual(repeated(2, 'engine_unavailable'))
    expect(await outcomesOf(engine, [right])).toEqual(['rows'])
  })

  it('a pooler with one connection is shared by right answers, and slow ones fail', async ({ skip }) => {
    const pooler = await startPooler(server.port)
    if (pooler === undefined) return skip('pgbouncer is not installed')
    const engine = await open(`//reader@127.0.0.1:${pooler.port}/postgres`)
    expect(await outcomesOf(engine, repeated(16, right))).toEqual(repeated(16, 'rows'))
    expect(await outcomesOf(engine, [...slow, right])).toEqual([...slept, 'rows'])
    const other = new Client({
      ...{ host: '127.0.0.1', port: pooler.port, user: 'reader', password: 'reader', database: 'postgres' },
    })
    await other.connect()
    await other.query('BEGIN')
    expect(await outcomesOf(engine, [right])).toEqual(['engine_busy'])
    await other.query('COMMIT')
    expect(await outcomesOf(engine, [right])).toEqual(['rows'])
    await other.end()
    await engine.close()
    pooler.end()
  }, 30_000)
})

describe.skipIf(started === undefined)('what the set-up of PostgreSQL lacks', () => {
  beforeAll(async () => {
    process.env['PGPASSWORD'] = 'reader'
    await server.run('CREATE DATABASE rights')
    await server.run(
      'CREATE SCHEMA shop; CREATE TABLE shop.orders AS SELECT 1 AS id; CREATE TABLE hidden AS SELECT 1 AS id',
      'rights',
    )
  })
  afterAll(() => {
    delete process.env['PGPASSWORD']
  })
  const setupOf = async (sql: string): Promise<string | undefined> => {
    const engine = await open(server.address({ database: 'rights' }))
    const outcome = await engine.query(sql, busyLimits)
    await engine.close()
    return outcome.kind === 'failed' ? outcome.setup : outcome.kind
  }

  it('is said with the GRANT to run, which helps', async () => {
    for (const sql of ['SELECT * FROM hidden', 'SELECT * FROM shop.orders']) {
      for (let grants = 0; ; grants++) {
        const found = await setupOf(sql)
        if (found === 'rows') break
        expect(found).toMatch(/^permission denied for .* Run: GRANT /)
        expect(grants).toBeLessThan(2)
        await server.run(/Run: (.*)$/.exec(found ?? '')?.[1] ?? '', 'rights')
      }
    }
  })

  it('is a search_path without tables, and not a table that is misspelled', async () => {
    expect(await setupOf('SELECT * FROM hiden')).toBeUndefined()
    await server.run('DROP TABLE hidden; GRANT USAGE ON SCHEMA shop TO reader', 'rights')
    const found = await setupOf('SELECT * FROM orders')
    expect(found).toMatch(/no table is on the search_path .* Run: ALTER ROLE reader SET search_path = shop/)
    await server.run(/Run: (.*)$/.exec(found ?? '')?.[1] ?? '', 'rights')
    await server.run('GRANT SELECT ON shop.orders TO reader', 'rights')
    expect(await setupOf('SELECT * FROM orders')).toBe('rows')
    await server.run('ALTER ROLE reader RESET search_path')
  })

  it('is a database that takes no connections', async () => {
    await server.run('CREATE DATABASE closed ALLOW_CONNECTIONS false')
    await expect(open(server.address({ database: 'closed' }))).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/not currently accepting connections/),
      hint: expect.stringMatching(/maintenance/),
    })
  })
})

/** A pgbouncer that has one connection to the server, and gives it for a transaction; undefined where it is not installed. */
async function startPooler(target: number) {
  if (spawnSync('pgbouncer', ['--version']).error !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'autotest-pooler-'))
  const port = await freePort()
  const owner = unprivileged()
  writeFileSync(join(folder, 'users'), '"reader" "reader"\n')
  writeFileSync(
    join(folder, 'ini'),
    `[databases]
postgres = host=127.0.0.1 port=${target} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = 1
ignore_startup_parameters = extra_float_digits
`,
  )
  for (const name of ['', 'users', 'ini'])
    if (owner !== undefined) chownSync(join(folder, name), owner.uid, owner.gid)
  const child = spawn('pgbouncer', [join(folder, 'ini')], { stdio: 'ignore', ...owner })
  const isUp = async (): Promise<boolean> => {
    const client = new Client({
      ...{ host: '127.0.0.1', port, user: 'reader', password: 'reader', database: 'postgres' },
    })
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      return false
    }
  }
  await expect.poll(isUp, { timeout: 10_000 }).toBe(true)
  return {
    port,
    end() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
