import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import { postgresKind } from '../../../src/engine/server/postgres.js'
import { contractScript, engineContract, resultOf } from '../../contracts/engine.contract.js'
import { needing } from '../../needs.js'
import { needsPostgres, type PostgresServer, startPostgres } from './postgres-server.js'

const limits: QueryLimits = { timeoutMs: 5000, rows: 2000, bytes: 1_000_000, memoryBytes: 400_000_000 }
const started = await startPostgres()
const server = started as PostgresServer
afterAll(() => started?.stop())

type Address = Parameters<PostgresServer['address']>[0]

const opened: Engine[] = []
async function open(address: Address = {}, notes: string[] = [], concurrency = 4): Promise<Engine> {
  const options = {
    root: '/',
    concurrency,
    memoryBytes: 400_000_000,
    onNote: (text: string) => notes.push(text),
  }
  const engine = await postgresKind.open(server.address(address), options)
  opened.push(engine)
  return engine
}

const rowsOf = async (engine: Engine, sql: string) => resultOf(await engine.query(sql, limits)).rows

beforeAll(() => {
  process.env['PGPASSWORD'] = 'reader'
})
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})
afterAll(() => {
  delete process.env['PGPASSWORD']
})

describe('the contract on PostgreSQL', needsPostgres, () => {
  beforeAll(async () => {
    await server.run('CREATE DATABASE contract')
    await server.run(`${contractScript}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`, 'contract')
  })

  engineContract('postgres', {
    async open(concurrency) {
      const engine = await open({ database: 'contract' }, [], concurrency)
      opened.pop()
      return engine
    },
    greedy: "SELECT repeat('x', 3000000) FROM items",
    forbidden: ['SELECT * INTO copied FROM items', 'SELECT * FROM items FOR UPDATE', 'COPY items TO STDOUT'],
  })
})

describe('values of PostgreSQL', needsPostgres, () => {
  it.each([
    ['true', true],
    ['1::smallint', 1],
    ['9007199254740993::bigint', 9007199254740993n],
    ['1.10::numeric(10,2)', { kind: 'decimal', text: '1.10' }],
    ['12345678901234567890.123456789::numeric', { kind: 'decimal', text: '12345678901234567890.123456789' }],
    ["'NaN'::numeric", Number.NaN],
    ["'Infinity'::float8", Number.POSITIVE_INFINITY],
    ['0.1::float8 + 0.2::float8', 0.30000000000000004],
    ['1.1::real', 1.1],
    ["DATE '2024-02-29'", { kind: 'date', text: '2024-02-29' }],
    ["'infinity'::date", { kind: 'other', type: 'date', text: 'infinity' }],
    ["TIMESTAMP '2024-02-29 12:34:56.123456'", { kind: 'timestamp', text: '2024-02-29 12:34:56.123456' }],
    ["TIMESTAMPTZ '2024-02-29 12:00:00+05:30'", { kind: 'timestamp', text: '2024-02-29 06:30:00+00' }],
    [
      "INTERVAL '1 year 2 days 03:04:05.6'",
      { kind: 'other', type: 'interval', text: '1 year 2 days 03:04:05.6' },
    ],
    ["'ab'::char(4)", 'ab  '],
    ["'🙂'", '🙂'],
    ['ARRAY[1, NULL, 3]', { kind: 'other', type: 'integer[]', text: '{1,NULL,3}' }],
    [`'{"b": 1, "a": [1.0]}'::jsonb`, { kind: 'other', type: 'jsonb', text: '{"a": [1.0], "b": 1}' }],
    ["'\\xdeadbeef'::bytea", { kind: 'other', type: 'bytea', text: '\\xdeadbeef' }],
    [
      "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid",
      { kind: 'other', type: 'uuid', text: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' },
    ],
    ["'sad'::mood", 'sad'],
    ['(-1234.5)::numeric::money', { kind: 'decimal', text: '-1234.50' }],
    ['ROW(1, NULL)', { kind: 'other', type: 'record', text: '(1,)' }],
    ['NULL', null],
  ])('%s', async (sql, expected) => {
    const engine = await open()
    // Made after the connection, which knows it nevertheless.
    if (sql.includes('mood')) await server.run("CREATE TYPE mood AS ENUM ('sad', 'ok')")
    expect(await rowsOf(engine, `SELECT ${sql}`)).toEqual([[expected]])
  })

  it('are the same on a server with another time zone and other formats', async () => {
    await server.run('CREATE DATABASE elsewhere; ', 'postgres')
    await server.run("ALTER DATABASE elsewhere SET TimeZone = 'Asia/Kolkata'")
    await server.run("ALTER DATABASE elsewhere SET DateStyle = 'German'")
    const engine = await open({ database: 'elsewhere' })
    expect(
      await rowsOf(
        engine,
        "SELECT TIMESTAMPTZ '2024-02-29 12:00:00+00', DATE '2024-02-29', now()::text LIKE '%+00'",
      ),
    ).toEqual([
      [{ kind: 'timestamp', text: '2024-02-29 12:00:00+00' }, { kind: 'date', text: '2024-02-29' }, true],
    ])
  })
})

describe('the catalogue of PostgreSQL', needsPostgres, () => {
  it('names tables as a query would, with keys and what may not be null, and only what may be read', async () => {
    await server.run('CREATE DATABASE catalogue')
    await server.run(
      `CREATE TABLE "Order" ("a ""b" integer PRIMARY KEY, "new
line" text, UNIQUE ("new
line"));
       CREATE TABLE hidden (id integer); CREATE SCHEMA shop; CREATE TABLE shop.sales (day date NOT NULL);
       GRANT USAGE ON SCHEMA shop TO reader; GRANT SELECT ON "Order", shop.sales TO reader`,
      'catalogue',
    )
    const engine = await open({ database: 'catalogue' })
    const { tables } = await engine.catalogue()
    expect(tables).toEqual([
      {
        name: '"Order"',
        columns: [
          { name: 'a "b', type: 'integer', notNull: true },
          { name: 'new\nline', type: 'text' },
        ],
        keys: [
          { columns: ['a "b'], primary: true },
          { columns: ['new\nline'], primary: false },
        ],
      },
      { name: 'shop.sales', columns: [{ name: 'day', type: 'date', notNull: true }] },
    ])
    for (const { name } of tables) expect(await rowsOf(engine, `SELECT count(*) FROM ${name}`)).toEqual([[0]])
    expect(await engine.query('SELECT * FROM hidden', limits)).toEqual({
      kind: 'failed',
      message: 'permission denied for table hidden',
      setup: 'permission denied for table hidden. Run: GRANT SELECT ON public.hidden TO reader',
    })
  })

  it('has a fingerprint that a write changes', async () => {
    await server.run('CREATE TABLE IF NOT EXISTS written (x integer)')
    const engine = await open()
    const before = await engine.fingerprint()
    await server.run('INSERT INTO written VALUES (1)')
    expect(await engine.fingerprint()).not.toBe(before)
  })
})

const source = '../shared/hostile/sql.json'
const hostile: readonly { id: string; engine: string; sql: string; expect: string }[] = existsSync(source)
  ? JSON.parse(readFileSync(source, 'utf8')).items.filter(
      (item: { engine: string }) => item.engine === 'postgres',
    )
  : []
/** What goes through where one of the guards is missing. */
const ours = [
  'SELECT 1; COMMIT; DELETE FROM a',
  'SELECT 1) ; COMMIT; DELETE FROM a; --',
  'WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone',
  "SELECT set_config('transaction_read_only', 'off', false)",
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity',
  'SELECT U&"pg_terminate\\005fbackend"(1)',
  "SELECT nextval('numbers')",
  "SELECT lo_from_bytea(0, 'x')",
  'SELECT pg_advisory_lock(1)',
  'SELECT write_one()',
].map((sql, at) => ({ id: `ours-${at + 1}`, sql, expect: 'deny' }))

describe('hostile statements on PostgreSQL, by a role that could write', needsPostgres, () => {
  const strict: QueryLimits = { timeoutMs: 1000, rows: 1000, bytes: 1_000_000, memoryBytes: 256_000_000 }
  beforeAll(async () => {
    if (hostile.length === 0) console.log(`SKIPPED  the list of hostile statements: ${source} is not here`)
    await server.run("CREATE ROLE writer LOGIN PASSWORD 'reader'")
    await server.run('CREATE DATABASE hostile OWNER writer')
    await server.run(
      `CREATE TABLE a AS SELECT g AS x, g AS y FROM generate_series(0, 99) g; ALTER TABLE a OWNER TO writer;
       CREATE SEQUENCE numbers; ALTER SEQUENCE numbers OWNER TO writer;
       CREATE FUNCTION write_one() RETURNS integer LANGUAGE sql AS 'DELETE FROM a RETURNING 1'`,
      'hostile',
    )
  })

  it.each([...hostile, ...ours])('$id: $expect', async ({ sql, expect: expected }) => {
    const engine = await open({ role: 'writer', database: 'hostile' })
    const started = performance.now()
    const outcome = await engine.query(sql, strict)
    expect(performance.now() - started).toBeLessThan(strict.timeoutMs + 3000)
    if (expected === 'deny') expect(['refused', 'failed']).toContain(outcome.kind)
    else if (outcome.kind === 'rows') expect(outcome.result.cut).not.toBeNull()
    else expect(outcome.kind).toBe('killed')
    expect(await rowsOf(engine, 'SELECT count(*), sum(x) FROM a')).toEqual([[100, 4950]])
    await engine.close()
    await expect.poll(() => server.sessions('writer'), { timeout: 3000 }).toBe(0)
    expect(existsSync(join(tmpdir(), 'pwn'))).toBe(false)
  })
})

describe('a PostgreSQL server that does not answer as it should', needsPostgres, () => {
  const failing = (address: Address, hint: RegExp) =>
    expect(open(address)).rejects.toMatchObject({
      code: 'engine_unavailable',
      hint: expect.stringMatching(hint),
    })

  it('a superuser is refused, and so is who reaches files; allow_superuser accepts one and says so', async () => {
    process.env['PGPASSWORD'] = 'postgres'
    await expect(open({ role: 'postgres' })).rejects.toThrow(/postgres is a superuser/)
    const notes: string[] = []
    await open({ role: 'postgres', query: '?allow_superuser=true' }, notes)
    expect(notes).toEqual([expect.stringMatching(/superuser, which allow_superuser accepts/)])
    process.env['PGPASSWORD'] = 'reader'
    await server.run("CREATE ROLE files LOGIN PASSWORD 'reader' IN ROLE pg_read_server_files")
    await expect(open({ role: 'files' })).rejects.toThrow(/member of pg_read_server_files/)
  })

  it('a role that may write is named with a table', async () => {
    await server.run('CREATE DATABASE roles; ')
    await server.run("CREATE ROLE clerk LOGIN PASSWORD 'reader'")
    await server.run('CREATE TABLE bills (id integer); GRANT SELECT, INSERT ON bills TO clerk', 'roles')
    const notes: string[] = []
    await open({ role: 'clerk', database: 'roles' }, notes)
    expect(notes).toEqual([
      expect.stringMatching(/clerk may write public\.bills/),
      expect.stringMatching(/clerk has rights beyond reading/),
    ])
  })

  it('wrong password, unknown role, unknown database, each with what to do', async () => {
    process.env['PGPASSWORD'] = 'wrong'
    await failing({}, /Check user and password: a password was sent/)
    delete process.env['PGPASSWORD']
    await failing({}, /password/)
    process.env['PGPASSWORD'] = 'reader'
    await failing({ role: 'nobody_there' }, /Check user and password/)
    await failing({ database: 'absent' }, /name of the database/)
    await expect(
      postgresKind.open('//reader@127.0.0.1:1/postgres', { root: '/', concurrency: 1, memoryBytes: 4e8 }),
    ).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/no server answers at 127\.0\.0\.1:1/),
    })
  })

  it('a query at its deadline leaves no session, and the error comes within a second', async () => {
    const engine = await open()
    const began = performance.now()
    const outcome = await engine.query('SELECT pg_sleep(60)', { ...limits, timeoutMs: 500 })
    expect(outcome).toMatchObject({ kind: 'killed', limit: 'deadline' })
    expect(performance.now() - began).toBeLessThan(1500)
    expect(await server.sessions('reader')).toBe(0)
  })

  it('a connection is used again a moment later, as new, and then ended', async () => {
    await server.run(`CREATE VIEW greedy AS SELECT pg_try_advisory_lock(4711) AS got, set_config('work_mem', '99MB', false) AS set;
      GRANT SELECT ON greedy TO reader`)
    const engine = await open()
    const state = 'SELECT name, setting FROM pg_settings ORDER BY name'
    const pid = () => rowsOf(engine, 'SELECT pg_backend_pid()')
    const asNew = await rowsOf(await open(), state)
    await expect.poll(async () => isDeepStrictEqual(await pid(), await pid())).toBe(true)
    expect(await rowsOf(engine, 'SELECT got FROM greedy')).toEqual([[true]])
    expect((await engine.query('SELECT 1 / 0', limits)).kind).toBe('failed')
    expect(await rowsOf(engine, state)).toEqual(asNew)
    expect(await server.texts("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).toEqual(['0'])
    const before = await pid()
    await expect.poll(() => server.sessions('reader'), { timeout: 2000 }).toBe(0)
    expect(await pid()).not.toEqual(before)
  })

  it('a connection that the server ended while it was idle is not used', async () => {
    const engine = await open()
    for (let time = 0; time < 5; time++) {
      expect(await rowsOf(engine, 'SELECT 1')).toEqual([[1]])
      await server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
      // Its end is told by then.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })

  it('a program that is killed leaves no session', async () => {
    const script = `import { postgresKind } from ${JSON.stringify(join(process.cwd(), 'build/modules/engine/server/postgres.js'))}
      const engine = await postgresKind.open(${JSON.stringify(server.address())}, { root: '/', concurrency: 2, memoryBytes: 4e8 })
      console.log('open'); await engine.query('SELECT pg_sleep(60)', { timeoutMs: 60000, rows: 1, bytes: 1e6 })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => child.stdout.once('data', resolve))
    await expect.poll(() => server.sessions('reader')).toBe(1)
    child.kill('SIGKILL')
    await expect.poll(() => server.sessions('reader'), { timeout: 4000 }).toBe(0)
  })

  it('a connection that is lost in the middle of rows is no wrong answer', async () => {
    const engine = await open()
    // Listened to from the beginning: it may fail before the next line.
    const failing = expect(
      engine.query('SELECT g, pg_sleep(0.01) FROM generate_series(1, 1000) g', {
        ...limits,
        timeoutMs: 20_000,
      }),
    ).rejects.toMatchObject({ code: 'engine_unavailable' })
    await expect.poll(() => server.sessions('reader')).toBe(1)
    await server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
    await failing
    expect(await rowsOf(engine, 'SELECT 1')).toEqual([[1]])
  })

  it('a lock that somebody else has is no wrong answer; a limit of the role is one of time', async () => {
    await server.run('CREATE TABLE locked (x integer); GRANT SELECT ON locked TO reader')
    await server.run(
      "CREATE ROLE hasty LOGIN PASSWORD 'reader'; ALTER ROLE hasty SET statement_timeout = 200",
    )
    const engine = await open()
    const holding = server.run('BEGIN; LOCK TABLE locked; SELECT pg_sleep(3); COMMIT')
    await new Promise((resolve) => setTimeout(resolve, 300))
    await expect(engine.query('SELECT * FROM locked', { ...limits, timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'engine_busy',
      message: expect.stringMatching(/waited up to 1 s for a lock on locked, which another session holds/),
    })
    await holding
    expect(await (await open({ role: 'hasty' })).query('SELECT pg_sleep(5)', limits)).toMatchObject({
      kind: 'killed',
      limit: 'deadline',
    })
  })

  it('more queries at once than the role has connections wait for one', async () => {
    await server.run("CREATE ROLE few LOGIN PASSWORD 'reader' CONNECTION LIMIT 2")
    const engine = await open({ role: 'few' }, [], 8)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => rowsOf(engine, `SELECT ${at}, pg_sleep(0.05)::text`)),
    )
    expect(answers.map((rows) => rows[0]?.[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('1,600 columns', async () => {
    const engine = await open()
    const { columns, rows } = resultOf(
      await engine.query(`SELECT ${Array.from({ length: 1600 }, (_, at) => `${at} AS c${at}`)}`, limits),
    )
    expect([columns.length, rows[0]?.[1599]]).toEqual([1600, 1599])
  })
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

describe('TLS to PostgreSQL', {
  ...needing('TLS to PostgreSQL', hasOpenssl ? undefined : 'openssl is not installed'),
  ...needsPostgres,
  timeout: 60_000,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-tls-'))
  let secure: PostgresServer
  afterAll(() => {
    secure?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Writes `name.key` and `name.crt`, valid between two days, YYYYMMDD. */
  const certificate = (name: string, from: string, to: string): void => {
    const openssl = (...args: string[]): void => {
      execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
    }
    writeFileSync(
      join(folder, 'ca.conf'),
      `[ca]\ndefault_ca = own\n[own]\ndatabase = ./index\nrand_serial = yes\ndefault_md = sha256\npolicy = any\nnew_certs_dir = .\nunique_subject = no\n[any]\ncommonName = supplied\n[names]\nsubjectAltName = DNS:localhost\n`,
    )
    writeFileSync(join(folder, 'index'), '')
    openssl(
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      '/CN=localhost',
    )
    const span = ['-startdate', `${from}000000Z`, '-enddate', `${to}000000Z`]
    const files = ['-in', `${name}.csr`, '-out', `${name}.crt`, '-keyfile', `${name}.key`]
    openssl(
      'ca',
      '-batch',
      '-selfsign',
      '-notext',
      '-config',
      'ca.conf',
      '-extensions',
      'names',
      ...span,
      ...files,
    )
  }

  it('is checked as sslmode asks for', async () => {
    certificate('good', '20200101', '20990101')
    secure = (await startPostgres()) as PostgresServer
    await secure.useCertificate(
      readFileSync(join(folder, 'good.key')),
      readFileSync(join(folder, 'good.crt')),
    )
    const ssl = async (host: string, query: string): Promise<unknown> => {
      const engine = await postgresKind.open(`//reader@${host}:${secure.port}/postgres${query}`, {
        root: folder,
        concurrency: 1,
        memoryBytes: 4e8,
      })
      opened.push(engine)
      return (await rowsOf(engine, 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'))[0]?.[0]
    }
    expect(await ssl('localhost', '?sslmode=disable')).toBe(false)
    expect(await ssl('localhost', '?sslmode=prefer')).toBe(true)
    expect(await ssl('localhost', '?sslmode=verify-full&sslrootcert=good.crt')).toBe(true)
    expect(await ssl('127.0.0.1', '?sslmode=verify-ca&sslrootcert=good.crt')).toBe(true)
    await expect(ssl('localhost', '?sslmode=verify-full')).rejects.toThrow(/no known authority/)
    await expect(ssl('127.0.0.1', '?sslmode=verify-full&sslrootcert=good.crt')).rejects.toThrow(
      /another host/,
    )
    await expect(ssl('localhost', '?sslmode=verify-full&sslrootcert=absent.crt')).rejects.toThrow(
      /absent.crt cannot be read/,
    )
  })

  it('an expired certificate is named as one', async () => {
    certificate('old', '20200101', '20210101')
    await secure.useCertificate(readFileSync(join(folder, 'old.key')), readFileSync(join(folder, 'old.crt')))
    await expect(
      postgresKind.open(
        `//reader@localhost:${secure.port}/postgres?sslmode=verify-full&sslrootcert=old.crt`,
        { root: folder, concurrency: 1, memoryBytes: 4e8 },
      ),
    ).rejects.toThrow(/has expired/)
  })
})
