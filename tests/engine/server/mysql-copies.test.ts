import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { mysqlKind } from '../../../src/engine/server/mysql.js'
import { type MariaDbServer, startMariaDb } from './mariadb-server.js'
import { sampledPairs } from './sampled-pairs.js'

const started = await startMariaDb()
const server = started as MariaDbServer
const pairs = sampledPairs()
let engine: Engine

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
  engine = await mysqlKind.open(server.address(), { root: '/', concurrency: 4, memoryBytes: 400_000_000 })
})
afterAll(async () => {
  delete process.env['MYSQL_PWD']
  await pairs.close()
  await engine?.close()
  started?.stop()
})

const say = (expected: string, generated: string): Promise<string> => pairs.say(engine, expected, generated)

describe.skipIf(started === undefined)('copies in front of the queries of a MariaDB', () => {
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

  it('an order by the position in an ENUM cannot be copied', async () => {
    expect(
      await say('SELECT id FROM stores ORDER BY level', 'SELECT id FROM stores ORDER BY level, id'),
    ).toMatch(/level has the order of an enum/)
  })
})
