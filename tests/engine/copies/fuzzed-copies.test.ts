import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Engine, FuzzedCopy, Value } from '../../../src/engine/contract/engine.js'
import type { EngineKind } from '../../../src/engine/contract/kind.js'
import { ignorePermissionErrors, staleFolders } from '../../../src/engine/copies/fuzzed-copies-cache.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { resultOf } from '../../contracts/engine.contract.js'
import { limits, openScript, scratch } from '../temporary-database.js'

/** Tables with every kind of constraint, in the SQL that both engines read. */
const script = `
  CREATE TABLE shops (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, city VARCHAR, code VARCHAR UNIQUE);
  CREATE TABLE staff (
    id INTEGER PRIMARY KEY, shop INTEGER NOT NULL REFERENCES shops (id), boss INTEGER REFERENCES staff (id),
    hired DATE, wage DECIMAL(8, 2) NOT NULL, bonus DECIMAL(8, 2), CHECK (bonus < wage)
  );
  CREATE TABLE shifts (staff INTEGER REFERENCES staff (id), day DATE, hours DOUBLE, PRIMARY KEY (staff, day));
  CREATE VIEW busy AS SELECT staff, count(*) AS days FROM shifts GROUP BY staff;
  INSERT INTO shops VALUES (1, 'North', 'Oslo', 'N'), (2, 'South', 'Rome', 'S'), (3, 'East', NULL, 'E');
  INSERT INTO staff VALUES (1, 1, NULL, '2020-01-15', 100.50, 20);
  INSERT INTO staff VALUES (2, 1, 1, '2021-03-01', 90, 10), (3, 2, 1, '2022-07-31', 80, NULL), (4, 2, 1, NULL, 70, 5);
  INSERT INTO shifts VALUES (1, '2024-01-01', 7.5), (1, '2024-01-02', 8), (2, '2024-01-01', 4), (3, '2024-02-29', 6.25);
`

/** What must hold in every copy: queries that find a broken constraint. */
const broken = [
  'SELECT id FROM shops GROUP BY id HAVING count(*) > 1',
  'SELECT code FROM shops WHERE code IS NOT NULL GROUP BY code HAVING count(*) > 1',
  'SELECT staff, day FROM shifts GROUP BY staff, day HAVING count(*) > 1',
  'SELECT 1 FROM staff WHERE shop NOT IN (SELECT id FROM shops)',
  'SELECT 1 FROM staff WHERE boss NOT IN (SELECT id FROM staff)',
  'SELECT 1 FROM shifts WHERE staff NOT IN (SELECT id FROM staff)',
  'SELECT 1 FROM shops WHERE name IS NULL OR id IS NULL',
  'SELECT 1 FROM staff WHERE shop IS NULL OR wage IS NULL OR NOT (bonus < wage)',
]

async function rowsOf(copy: FuzzedCopy, sql: string): Promise<readonly (readonly Value[])[]> {
  return resultOf(await copy.query(sql, limits)).rows
}

function copyOf(engine: Engine, index: number, seed = 1): Promise<FuzzedCopy> {
  if (engine.copies === undefined) throw new Error(`${engine.url} makes no copies`)
  return engine.copies.open({ seed, index })
}

describe.each<[string, EngineKind]>([
  ['SQLite', sqliteKind],
  ['DuckDB', duckdbKind],
])('fuzzed copies of a %s database', (_name, kind) => {
  it('keep what is declared and change the rest', async () => {
    const engine = await openScript(kind, scratch(), script)
    for (const index of [1, 2, 3, 4, 5]) {
      const copy = await copyOf(engine, index)
      for (const sql of broken) expect([index, sql, await rowsOf(copy, sql)]).toEqual([index, sql, []])
      expect((await rowsOf(copy, 'SELECT * FROM staff')).length).toBeGreaterThan(2)
      expect((await rowsOf(copy, 'SELECT * FROM busy')).length).toBeGreaterThan(0)
    }
    const original = resultOf(await engine.query('SELECT * FROM staff ORDER BY id', limits)).rows
    expect(await rowsOf(await copyOf(engine, 2), 'SELECT * FROM staff ORDER BY id')).not.toEqual(original)
  })

  it('are the same for the same seed, in another project too, and others for another seed', async () => {
    const engines = [await openScript(kind, scratch(), script), await openScript(kind, scratch(), script)]
    const everything = 'SELECT * FROM staff ORDER BY id'
    const [first, second] = await Promise.all(
      engines.map(async (engine) => rowsOf(await copyOf(engine, 5), everything)),
    )
    expect(second).toEqual(first)
    const other = engines[0] === undefined ? [] : await rowsOf(await copyOf(engines[0], 5, 2), everything)
    expect(other).not.toEqual(first)
  })

  it('hold the same rows when stored the other way round', async () => {
    const copy = await copyOf(await openScript(kind, scratch(), script), 2)
    const sql = 'SELECT * FROM staff ORDER BY id'
    expect(resultOf(await copy.queryReordered(sql, limits)).rows).toEqual(await rowsOf(copy, sql))
    const first = 'SELECT id FROM staff LIMIT 1'
    expect(resultOf(await copy.queryReordered(first, limits)).rows).not.toEqual(await rowsOf(copy, first))
    expect(resultOf(await copy.queryReordered('SELECT * FROM busy', limits)).rows.length).toBeGreaterThan(0)
  })

  it('hold some tables of a database with many: those that are read, and what they refer to', async () => {
    const folder = scratch()
    const engine = await openScript(kind, folder, script)
    if (engine.copies === undefined) throw new Error('no copies')
    const whole = await copyOf(engine, 1)
    const part = await engine.copies.open({ seed: 1, index: 1, tables: ['busy'] })
    for (const sql of ['SELECT * FROM busy ORDER BY 1', 'SELECT * FROM shops ORDER BY id'])
      expect(await rowsOf(part, sql)).toEqual(await rowsOf(whole, sql))
    const other = await engine.copies.open({ seed: 1, index: 1, tables: ['shops'] })
    expect((await rowsOf(other, 'SELECT * FROM shops')).length).toBeGreaterThan(0)
    expect(await other.query('SELECT * FROM staff', limits)).toMatchObject({ kind: 'failed' })
    const placed = await other.withValues([{ table: 'shops', column: 'city', kind: 'text', text: 'Bonn' }])
    const outcome = await placed.queryReordered("SELECT count(*) > 0 FROM shops WHERE city = 'Bonn'", limits)
    expect(Boolean(resultOf(outcome).rows[0]?.[0])).toBe(true)
    await placed.close()
  })

  it('are kept for the next run, which leaves them as they are', async () => {
    const folder = scratch()
    const engine = await openScript(kind, folder, script)
    await copyOf(engine, 1)
    const cache = join(folder, '.autotest', 'fuzz')
    const [own = ''] = readdirSync(cache)
    const file = join(cache, own, 'seed-1-copy-1.db')
    const made = statSync(file).mtimeMs
    const again = await openScript(kind, folder, script)
    await rowsOf(await copyOf(again, 1), 'SELECT 1 FROM shops')
    expect([readdirSync(cache), readdirSync(join(cache, own)), statSync(file).mtimeMs]).toEqual([
      [own],
      ['seed-1-copy-1.db'],
      made,
    ])
  })

  it('are made again where something has damaged their file', async () => {
    const folder = scratch()
    const sql = 'SELECT * FROM staff ORDER BY id'
    const first = await copyOf(await openScript(kind, folder, script), 5)
    const rows = await rowsOf(first, sql)
    await first.queryReordered(sql, limits)
    const cache = join(folder, '.autotest', 'fuzz')
    const [own = ''] = readdirSync(cache)
    const damage = (): void => {
      for (const name of readdirSync(join(cache, own)))
        writeFileSync(join(cache, own, name), 'this is no database'.repeat(2000))
    }
    for (const ask of [
      (copy: FuzzedCopy) => copy.query(sql, limits),
      (copy: FuzzedCopy) => copy.queryReordered(sql, limits),
    ]) {
      damage()
      const copy = await copyOf(await openScript(kind, folder, script), 5)
      expect(resultOf(await ask(copy)).rows).toEqual(rows)
    }
    damage()
    const copy = await copyOf(await openScript(kind, folder, script), 5)
    const placed = await copy.withValues([{ table: 'shops', column: 'city', kind: 'text', text: 'Bonn' }])
    expect(
      resultOf(await placed.query("SELECT 1 FROM shops WHERE city = 'Bonn'", limits)).rows.length,
    ).toBeGreaterThan(0)
    await placed.close()
  })

  it('take values that no row has, except those that a constraint forbids', async () => {
    const folder = scratch()
    const copy = await copyOf(await openScript(kind, folder, script), 1)
    const placed = await copy.withValues([
      { table: 'shops', column: 'city', kind: 'text', text: 'Bonn' },
      { table: 'shops', column: 'code', kind: 'text', text: "X'1" },
      { table: 'staff', column: 'shop', kind: 'number', text: '77' },
      { table: 'staff', column: 'hired', kind: 'text', text: '2031-05-06' },
      { table: 'staff', column: 'hired', kind: 'text', text: '2031-05' },
      { table: 'staff', column: 'bonus', kind: 'number', text: '900000' },
      { table: 'shifts', column: 'hours', kind: 'number', text: '12' },
      { table: 'busy', column: 'staff', kind: 'number', text: '55' },
      { table: 'absent', column: 'nothing', kind: 'number', text: '12' },
    ])
    const count = async (condition: string): Promise<number> => {
      const outcome = await placed.query(`SELECT count(*) FROM ${condition}`, limits)
      return Number(resultOf(outcome).rows[0]?.[0])
    }
    for (const sql of broken) expect([sql, resultOf(await placed.query(sql, limits)).rows]).toEqual([sql, []])
    expect(await count("shops WHERE city = 'Bonn'")).toBeGreaterThan(0)
    expect(await count("shops WHERE code = 'X''1'")).toBe(1)
    expect(await count('shops WHERE id = 77')).toBe(1)
    expect(await count('staff WHERE shop = 77')).toBeGreaterThan(0)
    expect(await count("staff WHERE CAST(hired AS VARCHAR) = '2031-05-06'")).toBeGreaterThan(0)
    expect(await count("staff WHERE CAST(hired AS VARCHAR) = '2031-05'")).toBe(0)
    expect(await count('staff WHERE bonus = 900000')).toBe(0)
    expect(await count('busy WHERE staff = 55')).toBe(1)
    expect(await count('shifts s JOIN staff t ON s.staff = t.id WHERE hours = 12')).toBeGreaterThan(0)
    const outcome = await placed.queryReordered("SELECT count(*) FROM shops WHERE city = 'Bonn'", limits)
    expect(Number(resultOf(outcome).rows[0]?.[0])).toBe(await count("shops WHERE city = 'Bonn'"))
    expect(await rowsOf(copy, 'SELECT 1 FROM shops WHERE id = 77')).toEqual([])
    await placed.close()
    const cache = join(folder, '.autotest', 'fuzz')
    expect(readdirSync(join(cache, readdirSync(cache)[0] ?? ''))).toEqual(['seed-1-copy-1.db'])
  })

  it('are read only', async () => {
    const copy = await copyOf(await openScript(kind, scratch(), script), 1)
    expect(await copy.query('DELETE FROM shifts', limits)).toMatchObject({ kind: 'refused' })
  })
})

describe('a large table', () => {
  it.each<[string, EngineKind]>([
    ['SQLite', sqliteKind],
    ['DuckDB', duckdbKind],
  ])('of %s is copied in part, from all over it', async (_name, kind) => {
    const engine = await openScript(
      kind,
      scratch(),
      `CREATE TABLE n (i INTEGER PRIMARY KEY);
       INSERT INTO n WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 60000) SELECT i FROM t;`,
    )
    const [row] = await rowsOf(
      await copyOf(engine, 1),
      'SELECT count(*), sum(CASE WHEN i > 30000 THEN 1 ELSE 0 END) FROM n',
    )
    expect(Number(row?.[0])).toBeGreaterThan(5000)
    expect(Number(row?.[0])).toBeLessThan(12_000)
    expect(Number(row?.[1])).toBeGreaterThan(2000)
  })

  it('of DuckDB, too large to be read in full, is copied from some of its blocks, the same each time', async () => {
    const large = 'CREATE TABLE n AS SELECT i FROM range(3000000) t(i)'
    const sql = 'SELECT count(*), count(DISTINCT i // 2048), min(i), max(i), sum(i) FROM n'
    const [row, again] = await Promise.all(
      [1, 2].map(
        async () => (await rowsOf(await copyOf(await openScript(duckdbKind, scratch(), large), 1), sql))[0],
      ),
    )
    expect(again).toEqual(row)
    const [rows, blocks, least, most] = (row ?? []).map(Number)
    expect(rows).toBeGreaterThan(5000)
    expect(rows).toBeLessThan(12_000)
    expect(blocks).toBeGreaterThan(80)
    expect(blocks).toBeLessThan(250)
    expect(least).toBeLessThan(300_000)
    expect(most).toBeGreaterThan(2_700_000)
  })
})

describe('stale copies', () => {
  const hourMs = 3_600_000
  const now = 100 * hourMs
  const folder = (name: string, ageHours: number, bytes = 1e6) => ({
    name,
    bytes,
    usedAtMs: now - ageHours * hourMs,
  })

  it('are those that were used longest ago, beyond the few that are kept', () => {
    const folders = [folder('own', 0), folder('a', 5), folder('b', 2), folder('c', 9), folder('d', 3)]
    expect(staleFolders(folders, 'own', now)).toEqual(['c'])
  })

  it('are those that take too much room, but never what may be in use', () => {
    const folders = [folder('own', 0, 4e8), folder('a', 2, 4e8), folder('b', 3, 4e8), folder('c', 0.5, 9e9)]
    expect(staleFolders(folders, 'own', now)).toEqual(['b'])
  })

  it.each(['EPERM', 'EACCES', 'EROFS'])('of another user are left alone (%s)', (code) => {
    expect(() => ignorePermissionErrors(Object.assign(new Error(), { code }))).not.toThrow()
    expect(() => ignorePermissionErrors(Object.assign(new Error(), { code: 'EIO' }))).toThrow()
  })

  it('are removed where a run that was killed left them unfinished', async () => {
    const root = scratch()
    const engine = await openScript(sqliteKind, root, script)
    await copyOf(engine, 1)
    const cache = join(root, '.autotest', 'fuzz')
    const own = join(cache, readdirSync(cache)[0] ?? '')
    const names = [
      'seed-1-copy-5-values-9-ab.tmp',
      'seed-1-copy-2.db.9.abc.tmp',
      'seed-1-copy-2.db.8.abc.tmp',
    ]
    for (const name of names) writeFileSync(join(own, name), '')
    for (const name of names.slice(0, 2)) utimesSync(join(own, name), new Date(1e12), new Date(1e12))
    await copyOf(await openScript(sqliteKind, root, script), 1)
    expect(readdirSync(own).sort()).toEqual(['seed-1-copy-1.db', 'seed-1-copy-2.db.8.abc.tmp'])
  })

  it('are removed when copies of another state of the database are made', async () => {
    const root = scratch()
    const old = ['1', '2', '3', '4'].map((name) => join(root, '.autotest', 'fuzz', name))
    for (const [at, path] of old.entries()) {
      mkdirSync(path, { recursive: true })
      utimesSync(path, new Date(1e12), new Date(1e12 + at * 1000))
    }
    await copyOf(await openScript(sqliteKind, root, script), 1)
    expect(old.map((path) => existsSync(path))).toEqual([false, true, true, true])
  })
})

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
