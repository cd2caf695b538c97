import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { postgresKind } from '../../../src/engine/server/postgres.js'
import { needsPostgres, openAsReader, type PostgresServer, startPostgres } from './postgres-server.js'
import { sampledPairs } from './sampled-pairs.js'

const started = await startPostgres()
const server = started as PostgresServer
const pairs = sampledPairs()
let inQueries: Engine
let inScratch: Engine

const schema = `
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE shops (id int PRIMARY KEY, city text NOT NULL, opened date, mood mood);
CREATE SCHEMA sales;
CREATE TABLE sales.orders (
  id bigint PRIMARY KEY, shop int NOT NULL REFERENCES shops, status varchar(10) NOT NULL CHECK (status IN ('paid', 'open')),
  amount numeric(10, 2) NOT NULL CHECK (amount > 0), gross numeric(12, 2) GENERATED ALWAYS AS (amount * 1.2) STORED,
  at timestamptz NOT NULL, tags text[], data jsonb, code uuid UNIQUE, ok boolean);
CREATE TABLE pairs (a int, b int, note text, PRIMARY KEY (a, b));
CREATE VIEW paid AS SELECT o.id, o.shop, o.amount, s.city FROM sales.orders o JOIN shops s ON s.id = o.shop WHERE o.status = 'paid';
CREATE VIEW big_paid (id, amount) AS SELECT id, amount FROM paid WHERE amount > 50;
INSERT INTO shops SELECT i, 'city ' || i % 5, date '2020-01-01' + i, (ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::mood FROM generate_series(1, 40) i;
INSERT INTO sales.orders (id, shop, status, amount, at, tags, data, code, ok)
  SELECT i, 1 + i % 40, CASE i % 2 WHEN 0 THEN 'paid' ELSE 'open' END, 1 + i % 97 + 0.25, timestamptz '2024-01-01' + i * interval '1 hour',
    ARRAY['a' || i % 3, 'b'], jsonb_build_object('k', i % 4), md5(i::text)::uuid, i % 3 = 0 FROM generate_series(1, 700) i;
INSERT INTO pairs SELECT i % 10, i, 'it''s \\ ' || i FROM generate_series(1, 50) i;
CREATE TABLE partly (a int, b int); INSERT INTO partly VALUES (1, 2); GRANT SELECT (a) ON partly TO reader;
CREATE SCHEMA scratch; GRANT USAGE, CREATE ON SCHEMA scratch TO reader;
CREATE TABLE secret (x int); INSERT INTO secret VALUES (1);
GRANT USAGE ON SCHEMA sales TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA sales TO reader;
GRANT SELECT ON shops, pairs, paid, big_paid TO reader;`

beforeAll(async () => {
  if (started === undefined) return
  process.env['PGPASSWORD'] = 'reader'
  await server.run('CREATE DATABASE copies')
  await server.run(schema, 'copies')
  inQueries = await openAsReader(server, 'copies')
  inScratch = await openAsReader(server, 'copies', '?scratch=scratch')
})
afterAll(async () => {
  delete process.env['PGPASSWORD']
  await pairs.close()
  await Promise.all([inQueries?.close(), inScratch?.close()])
  started?.stop()
})

const places = [
  { place: 'in front of the queries', engine: () => inQueries },
  { place: 'in a scratch schema', engine: () => inScratch },
]

describe.each(places)('copies $place of a PostgreSQL', needsPostgres, ({ engine }) => {
  const say = (expected: string, generated: string): Promise<string> =>
    pairs.say(engine(), expected, generated)

  it.each([
    [
      'a condition that a constraint implies',
      "SELECT count(*) FROM sales.orders WHERE status = 'paid'",
      "SELECT count(*) FROM sales.orders WHERE status = 'paid' AND amount > 0",
      /^match/,
    ],
    [
      'a condition that the data honour by chance',
      'SELECT count(*) FROM sales.orders WHERE amount > 0',
      'SELECT count(*) FROM sales.orders WHERE amount > 1.2',
      /^refuted$/,
    ],
    [
      'a join instead of an outer join',
      'SELECT s.id, count(o.id) FROM shops s LEFT JOIN sales.orders o ON o.shop = s.id GROUP BY s.id',
      'SELECT s.id, count(o.id) FROM shops s JOIN sales.orders o ON o.shop = s.id GROUP BY s.id',
      /^refuted$/,
    ],
    [
      'a join that a reference makes superfluous',
      'SELECT sum(amount) FROM sales.orders',
      'SELECT sum(sales.orders.amount) FROM sales.orders JOIN shops ON shops.id = sales.orders.shop',
      /^match/,
    ],
    [
      'DISTINCT where a key makes it superfluous',
      'SELECT id FROM sales.orders',
      'SELECT DISTINCT id FROM sales.orders',
      /^match/,
    ],
    [
      'DISTINCT where nothing does',
      'SELECT count(city) FROM shops',
      'SELECT count(DISTINCT city) FROM shops',
      /^refuted$/,
    ],
    [
      'a computed column is computed',
      'SELECT sum(gross) FROM sales.orders',
      'SELECT sum((amount * 1.2)::numeric(12, 2)) FROM sales.orders',
      /^match/,
    ],
    [
      'a view and its query',
      'SELECT city, sum(amount) FROM paid GROUP BY city',
      "SELECT s.city, sum(o.amount) FROM sales.orders o JOIN shops s ON s.id = o.shop WHERE o.status = 'paid' GROUP BY s.city",
      /^match/,
    ],
    [
      'a view of a view and a wrong query',
      'SELECT count(*) FROM big_paid',
      'SELECT count(*) FROM sales.orders WHERE amount > 50',
      /^refuted$/,
    ],
    [
      'a column that a grouped key determines',
      'SELECT s.id, s.city, count(*) FROM shops s JOIN sales.orders o ON o.shop = s.id GROUP BY s.id',
      'SELECT s.id, s.city, count(*) FROM shops s JOIN sales.orders o ON o.shop = s.id GROUP BY s.id, s.city',
      /^match/,
    ],
    [
      'WITH of the query, with the name of a table',
      "WITH orders AS (SELECT * FROM sales.orders WHERE status = 'open') SELECT count(*) FROM orders",
      "SELECT count(*) FROM sales.orders WHERE status <> 'paid'",
      /^match/,
    ],
    [
      'lists, documents, truth values, quotes and backslashes',
      "SELECT count(*) FROM sales.orders o, pairs p WHERE o.tags[1] = 'a1' AND o.data ->> 'k' = '1' AND o.ok AND p.note LIKE 'it''s%'",
      "SELECT count(*) FROM sales.orders o, pairs p WHERE 'a1' = o.tags[1] AND (o.data ->> 'k')::int = 1 AND o.ok AND left(p.note, 4) = 'it''s'",
      /^match/,
    ],
    [
      'the order of an enumeration',
      'SELECT city, max(mood)::text FROM shops GROUP BY city',
      "SELECT city, CASE WHEN bool_or(mood = 'happy') THEN 'happy' WHEN bool_or(mood = 'ok') THEN 'ok' ELSE min(mood::text) END FROM shops GROUP BY city",
      /^match/,
    ],
    [
      'instants',
      "SELECT count(*) FROM sales.orders WHERE at >= '2024-02-01'",
      "SELECT count(*) FROM sales.orders WHERE at > '2024-02-01'",
      /^refuted$/,
    ],
  ])('%s', async (_, expected, generated, finding) => {
    expect(await say(expected, generated)).toMatch(finding)
  })

  it.each([
    [
      'SELECT count(*) FROM pg_class',
      'SELECT count(oid) FROM pg_class',
      /pg_class, of which no copy is made/,
    ],
    ['SELECT x FROM secret', 'SELECT x + 0 FROM secret', /secret/],
    ['SELECT a FROM partly', 'SELECT a + 0 FROM partly', /partly may not be read, or only in part/],
  ])('what cannot be copied stays unproven: %s', async (expected, generated, reason) => {
    expect(await say(expected, generated)).toMatch(reason)
  })

  it('samples are taken once, and the server is not written to', async () => {
    const before = pairs.files()
    expect(before.some((name) => name.endsWith('.sql'))).toBe(true)
    await say('SELECT count(*) FROM shops', 'SELECT count(id) FROM shops')
    expect(pairs.files()).toEqual(before)
    const { tables } = await engine().catalogue()
    expect(tables.map(({ name }) => name).sort()).toEqual([
      'big_paid',
      'paid',
      'pairs',
      'partly',
      'sales.orders',
      'shops',
    ])
  })

  it('a server may hold the copies of another engine', async () => {
    const { copies: _none, samples: _neither, ...elsewhere } = engine()
    const finding = await pairs.finding(
      { ...elsewhere, url: 'http://service' },
      'SELECT count(*) FROM sales.orders WHERE amount > 0',
      'SELECT count(*) FROM sales.orders WHERE amount > 1.2',
      engine(),
    )
    expect(finding).toMatchObject({ kind: 'refuted', comparison: { differing: 1 } })
  })
})

describe('the scratch schema of a PostgreSQL', needsPostgres, () => {
  const copies = (): Promise<string[]> =>
    server.texts(
      "SELECT relname FROM pg_class WHERE relnamespace = 'scratch'::regnamespace AND relkind = 'r' ORDER BY 1",
      'copies',
    )
  const say = async (expected: string, generated: string): Promise<string> => {
    const again = sampledPairs()
    const engine = await openAsReader(server, 'copies', '?scratch=scratch')
    try {
      return await again.say(engine, expected, generated)
    } finally {
      await engine.close()
      await again.close()
    }
  }
  const pair = ['SELECT count(*) FROM shops', 'SELECT count(*) FROM shops WHERE id > 1'] as const

  it('keeps the copies of tables for later runs, and none that was made for two queries', async () => {
    const names = await copies()
    expect(names.length).toBeGreaterThan(3)
    for (const name of names) expect(name).toMatch(/^autotest_copy_\d{8}_[0-9a-f]{16}$/)
    expect(await say(...pair)).toBe('refuted')
    expect(await copies()).toEqual(names)
  })

  it('drops old copies, and what a killed run has left, and nothing else', async () => {
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    const others = ['autotest_copy_notes', 'orders', `autotest_copy_${today}_temporary_00ff00ff00ff`]
    const old = ['autotest_copy_20200101_0123456789abcdef', 'autotest_copy_20200101_unfinished_01234567']
    for (const name of [...others, ...old])
      await server.run(
        `CREATE TABLE scratch.${name} (x int); ALTER TABLE scratch.${name} OWNER TO reader`,
        'copies',
      )
    expect(await say(...pair)).toBe('refuted')
    const left = await copies()
    expect(left).toEqual(expect.arrayContaining(others))
    expect(left.filter((name) => old.includes(name))).toEqual([])
    for (const name of others) await server.run(`DROP TABLE scratch.${name}`, 'copies')
  })

  it('holds as many rows of a large table as a query does, from all over it', async () => {
    await server.run(
      `CREATE TABLE events (id int PRIMARY KEY, note text); INSERT INTO events SELECT i, repeat(md5(i::text), 4) FROM generate_series(1, 8000) i;
       GRANT SELECT ON events TO reader`,
      'copies',
    )
    // The first 1,000 rows have no such number.
    const late = [
      'SELECT count(*) FROM events WHERE id > 7000',
      'SELECT count(note) FROM events WHERE id > 7000',
    ] as const
    expect(await say(...late)).toBe('refuted')
    const rows = await Promise.all(
      (await copies()).map(async (name) =>
        Number((await server.texts(`SELECT count(*) FROM scratch.${name}`, 'copies'))[0]),
      ),
    )
    // More rows would have fewer ties.
    expect(Math.max(...rows)).toBeLessThan(2000)
  })

  it('may be written to by several at once', async () => {
    const name = 'autotest_copy_20260101_fedcba9876543210'
    const engines = await Promise.all([1, 2, 3].map(() => openAsReader(server, 'copies', '?scratch=scratch')))
    const table = {
      name,
      columns: [{ name: 'x', type: 'int' }],
      queries: ['SELECT generate_series(1, 5000)'],
    }
    await Promise.all(engines.map((engine) => engine.scratch?.create(table)))
    expect((await copies()).filter((each) => each.includes('20260101'))).toEqual([name])
    expect(await server.texts(`SELECT count(*) FROM scratch.${name}`, 'copies')).toEqual(['5000'])
    await Promise.all(engines.map((engine) => engine.scratch?.drop([name])))
    await Promise.all(engines.map((engine) => engine.close()))
    expect(await copies()).not.toContain(name)
  })

  it('is nothing to be warned of, whether it is used or not', async () => {
    expect((await copies()).length).toBeGreaterThan(0)
    const notes: string[] = []
    const onNote = (text: string): void => void notes.push(text)
    for (const query of ['', '?scratch=scratch']) {
      const address = server.address({ database: 'copies', query })
      const engine = await postgresKind.open(address, { root: '/', concurrency: 1, memoryBytes: 4e8, onNote })
      await engine.close()
    }
    expect(notes.filter((note) => !/rights beyond reading/.test(note))).toEqual([])
  })

  it('is no place for what is asked', async () => {
    const [name = ''] = await copies()
    for (const sql of [
      `INSERT INTO scratch.${name} DEFAULT VALUES`,
      `WITH d AS (DELETE FROM scratch.${name} RETURNING 1) SELECT * FROM d`,
      'CREATE TABLE scratch.mine (x int)',
    ]) {
      const limits = { timeoutMs: 5000, rows: 10, bytes: 1e6, memoryBytes: 4e8 }
      expect(await inScratch.query(sql, limits)).toMatchObject({ kind: 'refused' })
    }
    const create = inScratch.scratch?.create({
      name: 'autotest_copy_20260101_0123456789abcdef',
      columns: [{ name: 'x', type: 'int' }],
      queries: ['DELETE FROM shops RETURNING 1'],
    })
    await expect(create).rejects.toThrow(/a copy cannot be written/)
    expect((await inScratch.catalogue()).tables.some((table) => table.name.includes('autotest_copy'))).toBe(
      false,
    )
  })

  it('is written to by nothing that writes elsewhere, whatever the rights', async () => {
    const address = server.address({
      role: 'postgres',
      database: 'copies',
      query: '?allow_superuser=true&scratch=scratch',
    })
    process.env['PGPASSWORD'] = 'postgres'
    const engine = await postgresKind.open(address, { root: '/', concurrency: 1, memoryBytes: 4e8 })
    process.env['PGPASSWORD'] = 'reader'
    const before = await server.texts('SELECT count(*) FROM pairs', 'copies')
    const create = engine.scratch?.create({
      name: 'autotest_copy_20260101_0123456789abcdef',
      columns: [{ name: 'a', type: 'int' }],
      queries: ['WITH d AS (DELETE FROM pairs RETURNING a) SELECT a FROM d'],
    })
    await expect(create).rejects.toThrow(/data-modifying statement must be at the top level/)
    expect(await server.texts('SELECT count(*) FROM pairs', 'copies')).toEqual(before)
    await engine.close()
  })

  it.each([
    ['nowhere', 'there is no schema nowhere for copies'],
    ['public', 'the role reader may not create tables in the schema public'],
  ])('a schema that cannot be written to is said at once: %s', async (schema, message) => {
    await expect(openAsReader(server, 'copies', `?scratch=${schema}`)).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining(message),
    })
  })

  it.each(['a;b', 'a.b', '', '"x"'])('no name of a schema: %j', async (schema) => {
    await expect(
      openAsReader(server, 'copies', `?scratch=${encodeURIComponent(schema)}`),
    ).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })
})
