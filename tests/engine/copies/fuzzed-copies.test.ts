import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Engine, FuzzedCopy, Value } from '../../../src/engine/contract/engine.js'
import type { EngineKind } from '../../../src/engine/contract/engine-kind.js'
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
