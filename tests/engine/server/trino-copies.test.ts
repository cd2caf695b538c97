import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { trinoKind } from '../../../src/engine/server/trino.js'
import { largeResultContract } from './large-results.js'
import { sampledPairs } from './sampled-pairs.js'
import { needsTrino, startTrino, type TrinoCluster } from './trino-server.js'

const started = await startTrino()
const cluster = started as TrinoCluster
const pairs = sampledPairs()
let inQueries: Engine
let inScratch: Engine

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
  await cluster.run('CREATE SCHEMA memory.scratch')
  const options = { root: '/', concurrency: 4, memoryBytes: 400_000_000 }
  inQueries = await trinoKind.open(cluster.address('memory/copies'), options)
  inScratch = await trinoKind.open(cluster.address('memory/copies?scratch=memory.scratch'), options)
}, 120_000)
afterAll(async () => {
  await pairs.close()
  await Promise.all([inQueries?.close(), inScratch?.close()])
  started?.stop()
})

const places = [
  { place: 'in front of the queries', engine: () => inQueries },
  { place: 'in a scratch schema', engine: () => inScratch },
]

describe.each(places)('copies $place of Trino', { ...needsTrino, timeout: 120_000 }, ({ engine }) => {
  it.each([
    [
      'a condition that the data honour by chance',
      'SELECT count(*) FROM orders',
      'SELECT count(*) FROM memory.copies.orders WHERE memory.copies.orders.amount >= 1',
      /^refuted$/,
    ],
    [
      'lists, rows, truth values, days and instants',
      "SELECT count(*), sum(data.k) FROM orders WHERE contains(tags, 'b1') AND ok AND at > timestamp '1970-01-02 00:00:00 UTC'",
      "SELECT count(*), sum(data.k) FROM orders WHERE array_position(tags, 'b1') > 0 AND ok AND NOT at <= timestamp '1970-01-02 00:00:00 UTC'",
      /^match/,
    ],
    [
      'an element that shorter lists lack is an error of the expected query there',
      "SELECT count(*) FROM orders WHERE tags[2] = 'b1'",
      "SELECT count(*) FROM orders WHERE contains(tags, 'b1')",
      /^(?:open|refuted)$/,
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
    expect(await pairs.say(engine(), expected, generated)).toMatch(finding)
  })
})

describe('results above the cap, compared inside Trino', { ...needsTrino, timeout: 60_000 }, () => {
  largeResultContract(() => inQueries)
})

describe('the scratch schema of Trino', { ...needsTrino, timeout: 60_000 }, () => {
  it('holds copies, which are no tables of the database', async () => {
    const names = (await inScratch.scratch?.tables()) ?? []
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) expect(name).toMatch(/^autotest_copy_\d{8}_[0-9a-f]{16}$/)
    expect((await inScratch.catalogue()).tables.some(({ name }) => name.includes('autotest_copy'))).toBe(
      false,
    )
    const limits = { timeoutMs: 5000, rows: 100, bytes: 1e6, memoryBytes: 4e8 }
    expect((await inScratch.query(`DROP TABLE memory.scratch.${names[0]}`, limits)).kind).toBe('refused')
  })

  it.each(['memory.absent', 'absent.scratch', 'absent'])('a place that is not there: %s', async (place) => {
    const options = { root: '/', concurrency: 1, memoryBytes: 4e8 }
    const opened = trinoKind.open(cluster.address(`memory/copies?scratch=${place}`), options)
    await expect(opened).rejects.toThrow(/no schema for copies/)
  })
})
