import { describe, expect, it } from 'vitest'
import type { EngineKind } from '../../../src/engine/contract/engine-kind.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { limits, openScript, scratch, sharedDatabase } from '../../engine/temporary-database.js'
import { findingOf } from './pair-on-copies.js'

/** Columns that are checked each by itself, keys and references among them, and agree in every row there is. */
const script = `
  CREATE TABLE markets (code VARCHAR PRIMARY KEY CHECK (length(code) = 2));
  CREATE TABLE sales (
    id INTEGER PRIMARY KEY CHECK (id > 0),
    market VARCHAR NOT NULL REFERENCES markets (code) CHECK (length(market) = 2),
    status VARCHAR CHECK (status IN ('paid', 'refunded')),
    channel VARCHAR NOT NULL CHECK (channel IN ('web', 'app')),
    currency VARCHAR NOT NULL CHECK (currency IN ('USD', 'EUR')),
    qty INTEGER CHECK (qty > 0),
    low INTEGER NOT NULL, high INTEGER NOT NULL, CHECK (low <= high)
  );
  INSERT INTO markets VALUES ('ID'), ('TH'), ('SG');
  INSERT INTO sales VALUES
    (1, 'ID', 'paid', 'web', 'USD', 5, 1, 5), (2, 'ID', 'paid', 'web', 'USD', 6, 2, 6),
    (3, 'TH', 'refunded', 'app', 'USD', 1, 3, 9), (4, 'TH', 'refunded', 'app', 'USD', 2, 1, 2),
    (5, 'SG', 'paid', 'web', 'USD', 7, 4, 4), (6, 'TH', 'refunded', 'app', 'USD', 3, 2, 8);
`

describe.each<[string, EngineKind]>([
  ['SQLite', sqliteKind],
  ['DuckDB', duckdbKind],
])('columns with CHECK constraints of their own in %s', (_name, kind) => {
  const engine = sharedDatabase(kind, script)

  it.each([
    [
      'another column',
      "SELECT id FROM sales WHERE status = 'paid'",
      "SELECT id FROM sales WHERE channel = 'web'",
    ],
    [
      'another grouping',
      'SELECT sum(qty) FROM sales GROUP BY status',
      'SELECT sum(qty) FROM sales GROUP BY channel',
    ],
    [
      'a column that refers to another table',
      "SELECT sum(qty) FROM sales WHERE status = 'refunded'",
      "SELECT sum(qty) FROM sales WHERE market = 'TH'",
    ],
    ['a lost DISTINCT', 'SELECT DISTINCT qty, status FROM sales', 'SELECT qty, status FROM sales'],
    ['NULL, which a CHECK lets pass', 'SELECT count(*) FROM sales', 'SELECT count(status) FROM sales'],
    [
      'a value that only the CHECK names',
      "SELECT count(*) FROM sales WHERE currency = 'USD'",
      'SELECT count(*) FROM sales',
    ],
    [
      'columns of one CHECK',
      'SELECT id FROM sales WHERE high >= 5',
      'SELECT id FROM sales WHERE low IN (1, 2, 3) AND id <> 4',
    ],
  ])('are distinguished: %s', async (_name, expected, generated) => {
    for (const seed of [1, 2, 3])
      expect(await findingOf(engine(), expected, generated, { seed })).toMatchObject({ kind: 'refuted' })
  })

  it.each([
    ['a value that a CHECK forbids', 'SELECT count(*) FROM sales', 'SELECT count(*) FROM sales WHERE id > 0'],
    ['an order that a CHECK keeps', 'SELECT id FROM sales', 'SELECT id FROM sales WHERE NOT low > high'],
  ])('agree as far as they must: %s', async (_name, expected, generated) => {
    for (const seed of [1, 2, 3])
      expect(await findingOf(engine(), expected, generated, { seed })).toMatchObject({ kind: 'match' })
  })

  it('take new keys that a CHECK allows', async () => {
    const { copies } = engine()
    if (copies === undefined) throw new Error('no copies')
    const copy = await copies.open({ seed: 1, index: 2 })
    const outcome = await copy.query('SELECT count(*) > 10, max(id) > 6 FROM sales', limits)
    expect(outcome).toMatchObject({ kind: 'rows' })
    if (outcome.kind === 'rows') expect(outcome.result.rows[0]?.map(Boolean)).toEqual([true, true])
  })
})

describe('a CHECK of SQLite', () => {
  it('on a generated column is satisfied', async () => {
    const engine = await openScript(
      sqliteKind,
      scratch(),
      `CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER AS (a * 2), c TEXT, CHECK (b < 9));
       INSERT INTO t (id, a, c) VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 4, 'z');`,
    )
    expect(
      await findingOf(engine, 'SELECT id FROM t', 'SELECT id FROM t WHERE a < 5 OR a IS NULL'),
    ).toMatchObject({
      kind: 'match',
    })
  })
})

describe('an index of SQLite that is unique for some rows', () => {
  it('allows rows that are equal in all other columns', async () => {
    const engine = await openScript(
      sqliteKind,
      scratch(),
      `CREATE TABLE t (x INTEGER, y TEXT); CREATE UNIQUE INDEX some ON t (x) WHERE x > 1;
       CREATE TABLE u (name TEXT, v INTEGER); CREATE UNIQUE INDEX named ON u (lower(name));
       INSERT INTO t VALUES (1, 'p'), (1, 'p'), (2, 'q'), (3, 'r');
       INSERT INTO u VALUES ('Ann', 1), ('bob', 2), ('Cid', 3);`,
    )
    for (const seed of [1, 2, 3]) {
      for (const [expected, generated] of [
        ['SELECT DISTINCT y FROM t WHERE x > 1', 'SELECT y FROM t WHERE x > 1'],
        ['SELECT DISTINCT v FROM u WHERE v > 1', 'SELECT v FROM u WHERE v > 1'],
      ] as const)
        expect(await findingOf(engine, expected, generated, { seed })).toMatchObject({ kind: 'refuted' })
      const once = 'SELECT x FROM t WHERE x > 1'
      expect(await findingOf(engine, 'SELECT DISTINCT x FROM t WHERE x > 1', once, { seed })).toMatchObject({
        kind: 'match',
      })
    }
  })
})

describe('a CHECK of DuckDB', () => {
  it('is checked by the engine where it cannot be evaluated here', async () => {
    const engine = await openScript(
      duckdbKind,
      scratch(),
      `CREATE TABLE t (id INTEGER PRIMARY KEY, code VARCHAR CHECK (CAST(code AS INTEGER) < 90));
       INSERT INTO t VALUES (1, '7'), (2, '8'), (3, '9');`,
    )
    const all = 'SELECT id FROM t WHERE code IS NOT NULL'
    expect(await findingOf(engine, all, 'SELECT id FROM t WHERE CAST(code AS INTEGER) < 90')).toMatchObject({
      kind: 'match',
    })
  })
})
