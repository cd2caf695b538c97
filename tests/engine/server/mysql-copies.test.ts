import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { mysqlKind } from '../../../src/engine/server/mysql.js'
import { type MariaDbServer, needsMariaDb, startMariaDb } from './mariadb-server.js'
import { sampledPairs } from './sampled-pairs.js'

const started = await startMariaDb()
const server = started as MariaDbServer
const pairs = sampledPairs()
let inQueries: Engine
let inScratch: Engine

const schema = [
  `CREATE TABLE stores (id INT UNSIGNED PRIMARY KEY, city VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german1_ci NOT NULL,
    level ENUM('small', 'large', 'average') NOT NULL, opened DATE)`,
  `CREATE TABLE orders (id BIGINT PRIMARY KEY, store INT UNSIGNED NOT NULL, status VARCHAR(10) COLLATE utf8mb4_bin NOT NULL,
    amount DECIMAL(10, 2) NOT NULL CHECK (amount > 0), weight DOUBLE, at DATETIME(3) NOT NULL, note TEXT, raw VARBINARY(8),
    gross DECIMAL(12, 2) AS (amount * 1.2) STORED, FOREIGN KEY (store) REFERENCES stores (id))`,
  "CREATE VIEW paid AS SELECT id, store, amount FROM orders WHERE status = 'paid'",
  `INSERT INTO stores SELECT seq, concat('Stra', unhex('DF'), 'e ', seq % 5), 1 + seq % 3, '2020-01-01' + INTERVAL seq DAY FROM seq_1_to_40`,
  `INSERT INTO orders (id, store, status, amount, weight, at, note, raw)
    SELECT seq, 1 + seq % 40, IF(seq % 2, 'paid', 'open'), 1 + seq % 97, seq / 7, '2024-01-01' + INTERVAL seq HOUR, concat('it''s \\\\ ', seq % 9), unhex('00ff') FROM seq_1_to_2000`,
]

beforeAll(async () => {
  if (started === undefined) return
  process.env['MYSQL_PWD'] = 'reader'
  await server.run(schema, 'shop')
  await server.run(["GRANT SHOW VIEW ON shop.* TO reader@'127.0.0.1'"])
  await server.run([
    'CREATE DATABASE scratch',
    "GRANT SELECT, CREATE, INSERT, ALTER, DROP ON scratch.* TO reader@'127.0.0.1'",
  ])
  const options = {
    root: '/',
    concurrency: 4,
    memoryBytes: 400_000_000,
    onNote: (text: string) => notes.push(text),
  }
  inQueries = await mysqlKind.open(server.address(), { ...options, onNote: () => undefined })
  inScratch = await mysqlKind.open(server.address({ query: '?scratch=scratch' }), options)
})
afterAll(async () => {
  delete process.env['MYSQL_PWD']
  await pairs.close()
  await Promise.all([inQueries?.close(), inScratch?.close()])
  started?.stop()
})

const notes: string[] = []
const places = [
  { place: 'in front of the queries', engine: () => inQueries },
  { place: 'in a scratch schema', engine: () => inScratch },
]

describe.each(places)('copies $place of a MariaDB', needsMariaDb, ({ engine }) => {
  const say = (expected: string, generated: string): Promise<string> =>
    pairs.say(engine(), expected, generated)

  it.each([
    [
      'a condition that a constraint implies',
      "SELECT count(*) FROM orders WHERE status = 'paid'",
      "SELECT count(*) FROM shop.orders WHERE shop.orders.status = 'paid' AND amount > 0",
      /^match/,
    ],
    [
      'a condition that the data honour by chance',
      'SELECT count(*) FROM orders',
      'SELECT count(*) FROM orders WHERE amount >= 1 AND amount < 98',
      /^refuted$/,
    ],
    [
      'a join instead of an outer join',
      'SELECT s.id, count(o.id) FROM stores s LEFT JOIN orders o ON o.store = s.id GROUP BY s.id',
      'SELECT s.id, count(o.id) FROM stores s JOIN orders o ON o.store = s.id GROUP BY s.id',
      /^refuted$/,
    ],
    [
      'the collation of a column',
      "SELECT count(*) FROM stores WHERE city LIKE 'STRA%'",
      "SELECT count(*) FROM stores WHERE lower(city) LIKE 'stra%'",
      /^match/,
    ],
    [
      'a view, and a computed column',
      'SELECT sum(amount) FROM paid',
      "SELECT sum(gross) / 1.2 FROM orders WHERE status = 'paid'",
      /^match/,
    ],
    [
      'quotes and backslashes',
      'SELECT note, count(*) FROM orders GROUP BY note',
      'SELECT note, count(id) FROM orders GROUP BY note',
      /^match/,
    ],
    [
      'a subquery that finds several rows',
      "SELECT max(amount) FROM orders WHERE store IN (SELECT id FROM stores WHERE city = 'Straße 1' AND id = 1)",
      "SELECT max(amount) FROM orders WHERE store = (SELECT id FROM stores WHERE city = 'Straße 1' AND id < 2)",
      /^(?:match|fails|weak)/,
    ],
  ])('%s', async (_, expected, generated, finding) => {
    expect(await say(expected, generated)).toMatch(finding)
  })
})

describe('an ENUM of a MariaDB, ordered by position', needsMariaDb, () => {
  const pair = [
    'SELECT level, count(*) FROM stores GROUP BY level ORDER BY level',
    'SELECT level, count(*) FROM stores GROUP BY level ORDER BY concat(level)',
  ] as const

  it('is that of its table in front of a query, too', async () => {
    expect(await pairs.say(inQueries, ...pair)).toBe('refuted')
  })

  it('is compared by position with a number', async () => {
    const [byNumber, byLabel] = [
      'SELECT count(*) FROM stores WHERE level > 1',
      'SELECT count(*) FROM stores WHERE level >= 2',
    ]
    expect(await pairs.say(inQueries, byNumber, byLabel)).toMatch(/^match/)
  })

  it('is that of its table in a scratch schema', async () => {
    expect(await pairs.say(inScratch, ...pair)).toBe('refuted')
  })
})

describe('the scratch schema of a MariaDB', needsMariaDb, () => {
  it('may be written to by several at once', async () => {
    const name = 'autotest_copy_20260101_fedcba9876543210'
    const table = { name, columns: [{ name: 'x', type: 'int' }], queries: ['SELECT 1', 'SELECT 2'] }
    await Promise.all([1, 2, 3].map(() => inScratch.scratch?.create(table)))
    const names = (await inScratch.scratch?.tables()) ?? []
    expect(names.filter((each) => each.includes('20260101'))).toEqual([name])
    await inScratch.scratch?.drop([name])
    const failing = inScratch.scratch?.create({ ...table, queries: ['SELECT 1', "SELECT 'no number'"] })
    await expect(failing).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(((await inScratch.scratch?.tables()) ?? []).filter((each) => each.includes('20260101'))).toEqual(
      [],
    )
  })

  it('is no right to write that anybody need be warned of', () => {
    expect(notes).toEqual([])
  })

  it('is read as it is: no table of it is one of the database', async () => {
    const limits = { timeoutMs: 5000, rows: 100, bytes: 1e6, memoryBytes: 4e8 }
    const outcome = await inScratch.query('SHOW TABLES FROM scratch', limits)
    expect(outcome.kind).toBe('refused')
    const names = (await inScratch.scratch?.tables()) ?? []
    expect(names.length).toBeGreaterThan(2)
    for (const name of names) expect(name).toMatch(/^autotest_copy_\d{8}_[0-9a-f]{16}$/)
    expect(
      (await inScratch.query(`INSERT INTO scratch.${names[0]} SELECT * FROM scratch.${names[0]}`, limits))
        .kind,
    ).toBe('refused')
    expect((await inScratch.catalogue()).tables.map(({ name }) => name).sort()).toEqual([
      'orders',
      'paid',
      'stores',
    ])
    // A place that is read but not written to.
    const options = { root: '/', concurrency: 1, memoryBytes: 4e8 }
    const absent = mysqlKind.open(server.address({ query: '?scratch=absent' }), options)
    await expect(absent).rejects.toThrow(/no schema absent for copies/)
  })
})
