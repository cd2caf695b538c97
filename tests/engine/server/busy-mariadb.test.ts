import { createConnection } from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { mysqlKind } from '../../../src/engine/server/mysql.js'
import { busyLimits, outcomesOf, repeated } from './busy-outcomes.js'
import { type MariaDbServer, startMariaDb } from './mariadb-server.js'
import { startProxy } from './stoppable-proxy.js'

const started = await startMariaDb()
const server = started as MariaDbServer
afterAll(() => started?.stop())

const opened: Engine[] = []
const notes: string[] = []
async function open(address: string): Promise<Engine> {
  const onNote = (text: string): void => void notes.push(text)
  const allowFunctions = ['taken']
  const options = { root: '/', concurrency: 4, memoryBytes: 4e8, onNote, allowFunctions }
  const engine = await mysqlKind.open(address, options)
  opened.push(engine)
  return engine
}

/** Holds what SQL takes until it is ended. */
async function session(user: string, statements: readonly string[]) {
  const socketPath = `${server.folder}/s`
  const connection = await createConnection(
    user === 'root'
      ? { socketPath, user, database: 'shop' }
      : { host: '127.0.0.1', port: server.port, user, password: 'reader', database: 'shop' },
  )
  for (const sql of statements) await connection.query(sql)
  return connection
}

const right = 'SELECT count(*) FROM orders'
const slow = [
  'SELECT sleep(60)',
  'SELECT count(*) FROM orders o, orders p, orders q, orders r WHERE md5(concat(o.id, p.id, q.id, r.id)) = 0',
  'SELECT taken(), sleep(60)',
  'SELECT taken(), sleep(60)',
]
const slept = repeated(slow.length, 'killed deadline')

describe.skipIf(started === undefined)('a MariaDB that others keep busy', () => {
  beforeAll(async () => {
    process.env['MYSQL_PWD'] = 'reader'
    await server.run(
      [
        'CREATE TABLE orders AS SELECT seq AS id FROM seq_1_to_2000',
        'CREATE TABLE spare AS SELECT 1 AS id',
        // A function that waits for a lock which the same agent has.
        "CREATE FUNCTION taken() RETURNS int RETURN get_lock('autotest', 3600)",
        "GRANT EXECUTE ON shop.* TO reader@'127.0.0.1'",
        "CREATE USER one@'127.0.0.1' IDENTIFIED BY 'reader' WITH MAX_USER_CONNECTIONS 1",
        "GRANT SELECT, SHOW VIEW, EXECUTE ON shop.* TO one@'127.0.0.1'",
        "CREATE USER narrow@'127.0.0.1' IDENTIFIED BY 'reader'",
        "GRANT SELECT ON shop.spare TO narrow@'127.0.0.1'",
      ],
      'shop',
    )
  })
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close()
    notes.splice(0)
  })
  afterAll(() => {
    delete process.env['MYSQL_PWD']
  })

  it('an agent that is slow fails by its deadline on an idle server', async () => {
    expect(await outcomesOf(await open(server.address()), slow)).toEqual(slept)
  })

  it('with one connection for the user, right answers wait for each other, and slow ones fail', async () => {
    const engine = await open(server.address({ user: 'one' }))
    expect(await outcomesOf(engine, repeated(16, right))).toEqual(repeated(16, 'rows'))
    expect(await outcomesOf(engine, [...slow, right])).toEqual([...slept, 'rows'])
    expect(notes).toContainEqual(expect.stringMatching(/max_user_connections.*fewer queries/))
  }, 30_000)

  it('a connection that somebody else has is waited for, and then named as what is missing', async () => {
    const engine = await open(server.address({ user: 'one' }))
    await expect.poll(() => server.sessions('one'), { timeout: 3000 }).toBe(0)
    const other = await session('one', ['SELECT 1'])
    await expect(engine.query(right, busyLimits)).rejects.toMatchObject({
      code: 'engine_busy',
      message: expect.stringMatching(/waited 1\.5 s for a connection: .*max_user_connections/),
    })
    const waiting = outcomesOf(engine, [right])
    await other.end()
    expect(await waiting).toEqual(['rows'])
  })

  it('a lock of another session is no time of the query; slow queries beside it fail', async () => {
    const engine = await open(server.address())
    const migration = await session('root', ['LOCK TABLES orders WRITE'])
    await expect(engine.query(right, busyLimits)).rejects.toMatchObject({
      code: 'engine_busy',
      message: expect.stringMatching(/for a lock on a table, which another session holds/),
    })
    expect(await outcomesOf(engine, ['SELECT sleep(60) FROM spare', 'SELECT taken(), sleep(60)'])).toEqual(
      repeated(2, 'killed deadline'),
    )
    // What it waited for is not counted: the query has its whole time afterwards.
    const late = engine.query('SELECT sleep(0.9) FROM orders LIMIT 1', busyLimits)
    setTimeout(() => void migration.query('UNLOCK TABLES'), 1000)
    expect((await late).kind).toBe('rows')
    await migration.end()
  }, 20_000)

  it('a network that is silent is none either, before a query and while it runs', async () => {
    const proxy = await startProxy(server.port)
    const engine = await open(`//reader@127.0.0.1:${proxy.port}/shop`)
    const running = outcomesOf(engine, ['SELECT sleep(0.5)', right])
    await new Promise((resolve) => setTimeout(resolve, 200))
    proxy.stop()
    expect((await running)[0]).toBe('engine_busy')
    expect(await outcomesOf(engine, [right])).toEqual(['engine_busy'])
    proxy.goOn()
    expect(await outcomesOf(engine, [right, ...slow])).toEqual(['rows', ...slept])
    proxy.end()
  }, 30_000)

  it('a session that is killed is no wrong answer', async () => {
    const engine = await open(server.address())
    // A function that sleeps would return.
    const running = outcomesOf(engine, repeated(2, slow[1] ?? ''))
    await expect.poll(() => server.sessions('reader')).toBe(2)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await server.run(["KILL USER reader@'127.0.0.1'"])
    expect(await running).toEqual(repeated(2, 'engine_unavailable'))
    expect(await outcomesOf(engine, [right])).toEqual(['rows'])
  })

  it('a missing right is said with the GRANT to run, which helps', async () => {
    const engine = await open(server.address({ user: 'narrow' }))
    const outcome = await engine.query(right, busyLimits)
    const setup = outcome.kind === 'failed' ? outcome.setup : undefined
    expect(setup).toMatch(/denied .* Run: GRANT SELECT ON /)
    await server.run([/Run: (.*)$/.exec(setup ?? '')?.[1] ?? ''])
    expect(await outcomesOf(engine, [right])).toEqual(['rows'])
    await engine.close()
  })
})
