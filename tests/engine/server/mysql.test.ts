import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import { mysqlKind } from '../../../src/engine/server/mysql.js'
import { contractScript, engineContract, resultOf } from '../../contracts/engine.contract.js'
import { type MariaDbServer, needsMariaDb, startMariaDb } from './mariadb-server.js'

const limits: QueryLimits = { timeoutMs: 5000, rows: 2000, bytes: 1_000_000, memoryBytes: 400_000_000 }
const started = await startMariaDb()
const server = started as MariaDbServer
afterAll(() => started?.stop())

const opened: Engine[] = []
async function open(
  address: Parameters<MariaDbServer['address']>[0] = {},
  notes: string[] = [],
  concurrency = 4,
): Promise<Engine> {
  const engine = await mysqlKind.open(server.address(address), {
    root: '/',
    concurrency,
    memoryBytes: 400_000_000,
    onNote: (text) => notes.push(text),
  })
  opened.push(engine)
  return engine
}

const rowsOf = async (engine: Engine, sql: string) => resultOf(await engine.query(sql, limits)).rows

beforeAll(() => {
  process.env['MYSQL_PWD'] = 'reader'
})
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})
afterAll(() => {
  delete process.env['MYSQL_PWD']
})

describe('the contract on MariaDB', needsMariaDb, () => {
  beforeAll(async () => {
    await server.run(
      [
        "SET sql_mode = CONCAT(@@sql_mode, ',PIPES_AS_CONCAT')",
        ...contractScript.split(';').filter((each) => each.trim() !== ''),
      ],
      'shop',
    )
  })
  engineContract('mysql', {
    async open(concurrency) {
      const engine = await open({}, [], concurrency)
      opened.pop()
      return engine
    },
    // The server gives no value of more than max_allowed_packet.
    greedy: undefined,
    forbidden: [
      "SELECT 1 INTO OUTFILE 'pwn'",
      'SELECT * FROM items FOR UPDATE',
      'SELECT * FROM items LOCK IN SHARE MODE',
      "SELECT GET_LOCK('x', 1)",
      '/*! DELETE FROM items */',
      'SELECT 1 /*!; DELETE FROM items */',
    ],
  })
})

describe('values of MariaDB', needsMariaDb, () => {
  it.each([
    ['TRUE', 1],
    ['9007199254740993', 9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    ['CAST(1.10 AS DECIMAL(10, 2))', { kind: 'decimal', text: '1.10' }],
    ['12345678901234567890.123456789', { kind: 'decimal', text: '12345678901234567890.123456789' }],
    ['1e0 / 3', 0.3333333333333333],
    ["DATE '2024-02-29'", { kind: 'date', text: '2024-02-29' }],
    ["TIMESTAMP '2024-02-29 12:34:56.123456'", { kind: 'timestamp', text: '2024-02-29 12:34:56.123456' }],
    ["TIME '-12:00:01'", { kind: 'other', type: 'time', text: '-12:00:01' }],
    ["'🙂'", '🙂'],
    ["X'DEADBEEF'", { kind: 'other', type: 'blob', text: 'deadbeef' }],
    ["b'101'", { kind: 'other', type: 'blob', text: '05' }],
    ['NULL', null],
  ])('%s', async (sql, expected) => {
    expect(await rowsOf(await open(), `SELECT ${sql}`)).toEqual([[expected]])
  })

  it('timestamps are in UTC, whatever the server says', async () => {
    await server.run(["SET GLOBAL time_zone = '+05:30'"])
    const rows = await rowsOf(await open(), 'SELECT FROM_UNIXTIME(0)')
    await server.run(["SET GLOBAL time_zone = 'SYSTEM'"])
    expect(rows).toEqual([[{ kind: 'timestamp', text: '1970-01-01 00:00:00' }]])
  })
})

describe('the catalogue of MariaDB', needsMariaDb, () => {
  it('names tables as a query would, with keys and what may not be null', async () => {
    await server.run(
      [
        'CREATE DATABASE catalogue',
        'CREATE TABLE `a ``b` (`new\nline` INT PRIMARY KEY, c VARCHAR(5), UNIQUE (c))',
        "GRANT SELECT ON catalogue.* TO reader@'127.0.0.1'",
      ].flatMap((each, at) => (at === 1 ? ['USE catalogue', each] : [each])),
    )
    const engine = await open({ database: 'catalogue' })
    const { tables } = await engine.catalogue()
    expect(tables[0]).toEqual({
      name: '`a ``b`',
      columns: [
        { name: 'new\nline', type: 'int(11)', notNull: true },
        { name: 'c', type: 'varchar(5)', collation: expect.any(String), characterSet: 'utf8mb4' },
      ],
      keys: [
        { columns: ['new\nline'], primary: true },
        { columns: ['c'], primary: false },
      ],
    })
    expect(tables.map(({ name }) => name)).toContain('shop.items')
    for (const { name } of tables)
      expect(await rowsOf(engine, `SELECT count(*) FROM ${name}`)).toHaveLength(1)
  })

  it('has a fingerprint that a write changes', async () => {
    const engine = await open()
    const before = await engine.fingerprint()
    await server.run(['CREATE TABLE written (x INT)'], 'shop')
    expect(await engine.fingerprint()).not.toBe(before)
  })
})

const source = '../shared/hostile/sql.json'
const hostile: readonly { id: string; engine: string; sql: string; expect: string }[] = existsSync(source)
  ? JSON.parse(readFileSync(source, 'utf8')).items.filter(
      (item: { engine: string }) => item.engine === 'mysql',
    )
  : []
/** What goes through where one of the guards is missing. */
const ours = [
  'SELECT 1; COMMIT; DELETE FROM a',
  'SELECT 1 -- x\n; DELETE FROM a',
  'SELECT 1 # x\n; DELETE FROM a',
  "SELECT '\\'; DELETE FROM a; --'; DELETE FROM a",
  'SELECT write_one()',
  'WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone',
  'SELECT x INTO @kept FROM a LIMIT 1',
  'SELECT NEXT VALUE FOR numbers',
].map((sql, at) => ({ id: `ours-${at + 1}`, sql, expect: 'deny' }))

describe('hostile statements on MariaDB, by a user that could write', needsMariaDb, () => {
  const strict: QueryLimits = { timeoutMs: 1000, rows: 1000, bytes: 1_000_000, memoryBytes: 256_000_000 }
  beforeAll(async () => {
    if (hostile.length === 0) console.log(`SKIPPED  the list of hostile statements: ${source} is not here`)
    await server.run([
      'CREATE DATABASE hostile',
      'USE hostile',
      'CREATE TABLE a (x INT, y INT)',
      'INSERT INTO a WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT i, i FROM n',
      'CREATE SEQUENCE numbers',
      'CREATE FUNCTION write_one() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM a; RETURN 1; END',
      "CREATE USER writer@'127.0.0.1' IDENTIFIED BY 'reader'",
      "GRANT ALL ON hostile.* TO writer@'127.0.0.1'",
    ])
  })

  it.each([...hostile, ...ours])('$id: $expect', async ({ sql, expect: expected }) => {
    const engine = await open({ user: 'writer', database: 'hostile' })
    const began = performance.now()
    const outcome = await engine.query(sql, strict)
    expect(performance.now() - began).toBeLessThan(strict.timeoutMs + 3000)
    if (expected === 'deny') expect(['refused', 'failed']).toContain(outcome.kind)
    // A limit of the server's own may end it in time.
    else expect(['killed', 'refused', 'rows']).toContain(outcome.kind)
    expect(await rowsOf(engine, 'SELECT count(*), CAST(sum(x) AS SIGNED) FROM a')).toEqual([[100, 4950]])
    await engine.close()
    await expect.poll(() => server.sessions('writer'), { timeout: 3000 }).toBe(0)
    expect(existsSync(join(tmpdir(), 'pwn'))).toBe(false)
  })
})

describe('a MariaDB server that does not answer as it should', needsMariaDb, () => {
  it('rights beyond the data are refused; allow_superuser accepts them and says so', async () => {
    await server.run([
      "CREATE USER boss@'127.0.0.1' IDENTIFIED BY 'reader'",
      "GRANT ALL ON *.* TO boss@'127.0.0.1'",
      "CREATE USER files@'127.0.0.1' IDENTIFIED BY 'reader'",
      "GRANT FILE ON *.* TO files@'127.0.0.1'",
      "CREATE USER clerk@'127.0.0.1' IDENTIFIED BY 'reader'",
      "GRANT SELECT, INSERT ON shop.* TO clerk@'127.0.0.1'",
    ])
    await expect(open({ user: 'boss' })).rejects.toThrow(/boss@127\.0\.0\.1 has the right ALL PRIVILEGES/)
    await expect(open({ user: 'files', database: '' })).rejects.toThrow(/has the right FILE/)
    const notes: string[] = []
    await open({ user: 'boss', query: '?allow_superuser=true' }, notes)
    await open({ user: 'clerk' }, notes)
    expect(notes).toEqual([
      expect.stringMatching(/allow_superuser accepts/),
      expect.stringMatching(/clerk@127\.0\.0\.1 has rights beyond reading.*\(INSERT ON `shop`\.\*\)/),
    ])
  })

  it('wrong password, unknown database, no server: each with what to do', async () => {
    const failing = (address: Parameters<typeof open>[0], hint: RegExp) =>
      expect(open(address)).rejects.toMatchObject({
        code: 'engine_unavailable',
        hint: expect.stringMatching(hint),
      })
    process.env['MYSQL_PWD'] = 'wrong'
    await failing({}, /Check user and password: a password was sent/)
    delete process.env['MYSQL_PWD']
    await failing({}, /no password was found/)
    process.env['MYSQL_PWD'] = 'reader'
    await failing({ database: 'absent' }, /name of the database/)
    await expect(
      mysqlKind.open('//reader@127.0.0.1:1/shop', { root: '/', concurrency: 1, memoryBytes: 4e8 }),
    ).rejects.toThrow(/no server answers at 127\.0\.0\.1:1/)
    await expect(open({ query: '?sslmode=require' })).rejects.toThrow(/does not offer TLS|certificate/)
  })

  it('an option file is read', async () => {
    const file = join(server.folder, 'my.cnf')
    writeFileSync(
      file,
      `[mysqld]\nuser=x\n[client]\nhost = 127.0.0.1\nport=${server.port}\nuser="reader"\npassword='reader'\ndatabase=shop\n`,
    )
    delete process.env['MYSQL_PWD']
    const engine = await mysqlKind.open(`?defaults_file=${file}`, {
      root: '/',
      concurrency: 1,
      memoryBytes: 4e8,
    })
    opened.push(engine)
    process.env['MYSQL_PWD'] = 'reader'
    expect(await rowsOf(engine, 'SELECT database()')).toEqual([['shop']])
  })

  it('a query at its deadline leaves no session, and the error comes within a second', async () => {
    const engine = await open()
    const began = performance.now()
    const outcome = await engine.query('SELECT SLEEP(60)', { ...limits, timeoutMs: 500 })
    expect(outcome).toMatchObject({ kind: 'killed', limit: 'deadline' })
    expect(performance.now() - began).toBeLessThan(1500)
    await expect.poll(() => server.sessions('reader'), { timeout: 1000 }).toBe(0)
  })

  it('a connection is used again a moment later, as new, and then ended', async () => {
    const defaults = ['character_set_client', 'character_set_connection', 'character_set_results']
    await server.run(defaults.map((name) => `SET GLOBAL ${name} = latin1`))
    const fresh = await open()
    const engine = await open()
    // Counters and clocks of the session.
    const state = `SELECT variable_name, variable_value FROM information_schema.session_variables
      WHERE variable_name NOT IN ('TIMESTAMP', 'RAND_SEED1', 'RAND_SEED2', 'PSEUDO_THREAD_ID', 'LAST_GTID', 'IN_TRANSACTION') ORDER BY 1`
    const id = () => rowsOf(engine, 'SELECT connection_id()')
    const asNew = await rowsOf(fresh, state)
    expect((await engine.query('SELECT * FROM absent', limits)).kind).toBe('failed')
    expect(await rowsOf(engine, 'SELECT @x := 5')).toEqual([[5]])
    expect(await rowsOf(engine, 'SELECT @x')).toEqual([[null]])
    expect(await rowsOf(engine, state)).toEqual(asNew)
    await expect.poll(async () => isDeepStrictEqual(await id(), await id())).toBe(true)
    await expect.poll(() => server.sessions('reader'), { timeout: 2000 }).toBe(0)
    await server.run(defaults.map((name) => `SET GLOBAL ${name} = utf8mb4`))
  })

  it('a connection that is idle when the engine is closed is ended as the server expects it', async () => {
    const before = await server.abortedClients()
    const engine = await open()
    expect(await rowsOf(engine, 'SELECT 1')).toEqual([[1]])
    await engine.close()
    await expect.poll(() => server.sessions('reader')).toBe(0)
    expect(await server.abortedClients()).toBe(before)
  })

  it('a connection that the server ended while it was idle is not used', async () => {
    const engine = await open()
    for (let time = 0; time < 5; time++) {
      expect(await rowsOf(engine, 'SELECT 1')).toEqual([[1]])
      await server.run(["KILL USER reader@'127.0.0.1'"])
      // Its end is told by then.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })

  it('a connection that is lost in the middle of rows is no wrong answer', async () => {
    const engine = await open()
    // Listened to from the beginning: it may fail before the next line.
    const failing = expect(
      engine.query('SELECT a.id, SLEEP(0.01) FROM items a', { ...limits, timeoutMs: 20_000 }),
    ).rejects.toMatchObject({ code: 'engine_unavailable' })
    await expect.poll(() => server.sessions('reader')).toBe(1)
    await server.run(["KILL USER reader@'127.0.0.1'"])
    await failing
    expect(await rowsOf(engine, 'SELECT 1')).toEqual([[1]])
  })
})
