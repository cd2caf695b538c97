import { describe, expect, it } from 'vitest'
import type { Engine, FuzzedCopy, Value } from '../../../src/engine/contract/engine.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { resultOf } from '../../contracts/engine.contract.js'
import { limits, openScript, scratch } from '../temporary-database.js'

async function rowsOf(copy: FuzzedCopy, sql: string): Promise<readonly (readonly Value[])[]> {
  return resultOf(await copy.query(sql, limits)).rows
}

function copyOf(engine: Engine, index: number, seed = 1): Promise<FuzzedCopy> {
  if (engine.copies === undefined) throw new Error(`${engine.url} makes no copies`)
  return engine.copies.open({ seed, index })
}

describe('tables of an uncommon kind', () => {
  it('DuckDB: copied with a sequence as a default, an enumeration and a CHECK, which limit the values to inject', async () => {
    const engine = await openScript(
      duckdbKind,
      scratch(),
      `CREATE TYPE mood AS ENUM ('well', 'ill', 'gone');
       CREATE SEQUENCE numbers;
       CREATE SCHEMA "Other Place";
       CREATE TABLE "Other Place"."The Pets" (
         id INTEGER DEFAULT nextval('numbers'), mood mood, "The State" VARCHAR CHECK ("The State" IN ('a', 'b', 'c'))
       );
       INSERT INTO "Other Place"."The Pets" SELECT i, 'well', CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END FROM range(60) t(i);`,
    )
    const table = 'other place.the pets'
    const placed = await (await copyOf(engine, 1)).withValues([
      { table, column: 'mood', kind: 'text', text: 'gone' },
      { table, column: 'mood', kind: 'text', text: 'happy' },
      { table, column: 'the state', kind: 'text', text: 'c' },
      { table, column: 'the state', kind: 'text', text: 'd' },
    ])
    const sql = `SELECT DISTINCT mood, "The State" FROM "Other Place"."The Pets" ORDER BY ALL`
    const pairs = resultOf(await placed.query(sql, limits)).rows.map((row) => row.join(' '))
    const named = ['gone a', 'gone b', 'gone c', 'well a', 'well b', 'well c']
    // What nobody names is one that the enumeration has.
    expect(pairs.filter((pair) => !pair.startsWith('ill')).sort()).toEqual(named)
    await placed.close()
  })

  it('DuckDB: values are injected into JSON, structs, lists and one more row', async () => {
    const engine = await openScript(
      duckdbKind,
      scratch(),
      `CREATE TABLE crews (name VARCHAR PRIMARY KEY, facts JSON, skills VARCHAR[] NOT NULL, home VARCHAR, boat STRUCT(make VARCHAR, hull STRUCT(feet INTEGER)));
       CREATE TABLE trips (crew VARCHAR REFERENCES crews (name));
       INSERT INTO crews SELECT 'crew ' || i, '{"rank": ' || i || ', "base": {"city": "Oslo"}, "fit": true}', ['sail'], 'Bonn', {'make': 'Najad', 'hull': {'feet': 30}} FROM range(30) t(i);
       INSERT INTO trips SELECT 'crew ' || i % 30 FROM range(90) t(i);`,
    )
    const table = 'crews'
    const placed = await (await copyOf(engine, 5)).withValues([
      { table, column: 'facts', path: ['base', 'city'], kind: 'text', text: 'Rome' },
      { table, column: 'facts', path: ['rank'], kind: 'number', text: '900', role: 'bound' },
      { table, column: 'facts', path: ['fit'], kind: 'number', text: '7' },
      { table, column: 'skills', kind: 'text', text: 'dive', role: 'member' },
      { table, column: 'home', kind: 'text', text: 'Rome' },
      { table, column: 'boat', path: ['hull', 'feet'], kind: 'number', text: '30', role: 'bound' },
      { table, column: 'boat', path: ['make'], kind: 'text', text: 'Swan' },
    ])
    const first = async (sql: string): Promise<readonly Value[] | undefined> =>
      resultOf(await placed.query(sql, limits)).rows[0]
    expect(
      await first(
        `SELECT bool_or(facts ->> '$.base.city' = 'Rome'), bool_or(CAST(facts ->> '$.rank' AS INTEGER) = 901),
           bool_or(facts ->> '$.fit' = '7'), bool_or(list_contains(skills, 'dive')), bool_or(home = 'Rome'),
           bool_or(boat.hull.feet = 31), bool_or(boat.make = 'Swan'), bool_or(boat.make NOT IN ('Swan', 'Najad')),
           bool_or(len(list_filter(skills, s -> s NOT IN ('sail', 'dive'))) > 0) FROM crews`,
      ),
    ).toEqual([true, true, false, true, true, true, true, true, true])
    const twins = await first(
      "SELECT count(*) > 0 FROM crews a JOIN crews b ON a.name LIKE b.name || '~%' AND (a.facts, a.skills, a.home) = (b.facts, b.skills, b.home) WHERE a.home = 'Rome'",
    )
    expect(twins).toEqual([true])
    await placed.close()
  })

  it('DuckDB: copies go by the name of their database, in queries and in views', async () => {
    const engine = await openScript(
      duckdbKind,
      scratch(),
      'CREATE TABLE t AS SELECT i FROM range(50) r(i); CREATE VIEW v AS SELECT i FROM t;',
    )
    const name = String(resultOf(await engine.query('SELECT current_database()', limits)).rows[0]?.[0])
    const copy = await copyOf(engine, 1)
    for (const table of [`${name}.main.t`, `${name}.v`, 'main.v', 't'])
      expect((await rowsOf(copy, `SELECT i FROM ${table}`)).length).toBeGreaterThan(20)
    expect(await copy.query('CREATE TEMP TABLE x (a INTEGER)', limits)).toMatchObject({ kind: 'refused' })
  })

  it('SQLite: a partial unique index is not a key', async () => {
    const engine = await openScript(
      sqliteKind,
      scratch(),
      `CREATE TABLE t (v TEXT, n INTEGER); CREATE UNIQUE INDEX some ON t (v) WHERE n < 3;
       INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 80) SELECT 'v' || (i % 9), i FROM r;`,
    )
    const copy = await copyOf(engine, 5)
    expect(
      await rowsOf(copy, 'SELECT v FROM t WHERE n < 3 AND v IS NOT NULL GROUP BY v HAVING count(*) > 1'),
    ).toEqual([])
    const placed = await copy.withValues([{ table: 't', column: 'v', kind: 'text', text: 'v99' }])
    const sql = "SELECT count(*) > 3 FROM t WHERE v = 'v99'"
    expect(resultOf(await placed.query(sql, limits)).rows).toEqual([[1]])
    await placed.close()
  })

  it('SQLite: values are injected into tables without row ids, and into those that refer to columns that are not a key', async () => {
    const engine = await openScript(
      sqliteKind,
      scratch(),
      `CREATE TABLE w (k TEXT, l TEXT, v INTEGER, PRIMARY KEY (k, l)) WITHOUT ROWID;
       INSERT INTO w VALUES ('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 3), ('c', 'z', 4);
       PRAGMA foreign_keys = OFF; CREATE TABLE x (a TEXT, b TEXT); INSERT INTO x VALUES ('x', 'a'), ('y', 'b');
       CREATE TABLE r (l TEXT REFERENCES x (a), u TEXT); INSERT INTO r VALUES ('x', 'm'), ('y', 'n'), ('x', 'o');`,
    )
    const placed = await (await copyOf(engine, 5)).withValues([
      { table: 'w', column: 'k', kind: 'text', text: 'zebra' },
      { table: 'w', column: 'v', kind: 'number', text: '77' },
      { table: 'r', column: 'u', kind: 'text', text: 'oddly' },
    ])
    const sql = "SELECT max(k = 'zebra'), max(v = 77), (SELECT max(u = 'oddly') FROM r) FROM w"
    expect(resultOf(await placed.query(sql, limits)).rows).toEqual([[1, 1, 1]])
    await placed.close()
  })
})
