import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { trinoKind } from '../../../src/engine/server/trino.js'
import { largeResultContract } from './large-results.js'
import { sampledPairs } from './sampled-pairs.js'
import { startTrino, type TrinoCluster } from './trino-server.js'

const started = await startTrino()
const cluster = started as TrinoCluster
const pairs = sampledPairs()
let engine: Engine

beforeAll(async () => {
  if (started === undefined) return
  await cluster.run('CREATE SCHEMA memory.copies')
  await cluster.run(`CREATE TABLE memory.copies.orders AS SELECT cast(i AS bigint) AS id, 'shop ' || cast(i % 20 AS varchar) AS shop,
    cast(1 + i % 97 AS decimal(10, 2)) AS amount, date '2024-01-01' + i * interval '1' day AS day,
    from_unixtime(i * 3600) AS at, ARRAY['a', 'b' || cast(i % 3 AS varchar)] AS tags, CAST(ROW(i) AS ROW(k integer)) AS data,
    i / 7e0 AS ratio, i % 2 = 0 AS ok
    FROM (SELECT cast(n AS integer) AS i FROM UNNEST(sequence(1, 900)) AS t (n))`)
  await cluster.run(
    'CREATE VIEW memory.copies.late AS SELECT id, shop FROM memory.copies.orders WHERE amount > 50',
  )
  await cluster.run(`CREATE TABLE memory.copies.numbers AS SELECT i AS id, 'name ' || cast(i % 100 AS varchar) AS name,
    cast(cast(i % 991 AS decimal(10, 2)) / 100 AS decimal(10, 2)) AS price, (i + 1) / 7e0 AS ratio, date '2020-01-01' + (i % 500) * interval '1' day AS day
    FROM (SELECT cast(a.n * 1000 + b.n AS integer) AS i FROM UNNEST(sequence(0, 29)) AS a (n), UNNEST(sequence(0, 999)) AS b (n))`)
  engine = await trinoKind.open(cluster.address('memory/copies'), {
    root: '/',
    concurrency: 4,
    memoryBytes: 400_000_000,
  })
}, 120_000)
afterAll(async () => {
  await pairs.close()
  await engine?.close()
  started?.stop()
})

describe.skipIf(started === undefined)('copies in front of the queries of Trino', { timeout: 60_000 }, () => {
  it.each([
    [
      'a condition that the data honour by chance',
      'SELECT count(*) FROM orders',
      'SELECT count(*) FROM memory.copies.orders WHERE memory.copies.orders.amount >= 1',
      /^refuted$/,
    ],
    [
      'lists, rows, truth values, days and instants',
      "SELECT count(*), sum(data.k) FROM orders WHERE tags[2] = 'b1' AND ok AND at > timestamp '1970-01-02 00:00:00 UTC'",
      "SELECT count(*), sum(data.k) FROM orders WHERE contains(tags, 'b1') AND ok AND NOT at <= timestamp '1970-01-02 00:00:00 UTC'",
      /^match/,
    ],
    [
      'a view and a wrong query',
      'SELECT shop, count(*) FROM late GROUP BY shop',
      'SELECT shop, count(*) FROM copies.orders WHERE amount >= 50 GROUP BY shop',
      /^refuted$/,
    ],
    [
      'a view and its query',
      'SELECT shop, count(*) FROM late GROUP BY shop',
      'SELECT shop, count(*) FROM orders WHERE amount > 50 GROUP BY shop',
      /^match/,
    ],
    [
      'what cannot be copied',
      'SELECT count(*) FROM system.runtime.nodes',
      'SELECT count(node_id) FROM system.runtime.nodes',
      /of which no copy is made/,
    ],
  ])('%s', async (_, expected, generated, finding) => {
    expect(await pairs.say(engine, expected, generated)).toMatch(finding)
  })
})

describe.skipIf(started === undefined)(
  'results above the cap, compared inside Trino',
  { timeout: 60_000 },
  () => {
    largeResultContract(() => engine)
  },
)
