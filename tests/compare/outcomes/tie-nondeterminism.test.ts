import { afterEach, describe, expect, it } from 'vitest'
import { unordered } from '../../../src/compare/order/query-order.js'
import { findTieNondeterminism } from '../../../src/compare/outcomes/tie-nondeterminism.js'
import type { Engine } from '../../../src/engine/contract/engine.js'
import type { EngineKind } from '../../../src/engine/contract/engine-kind.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { AutotestError } from '../../../src/errors.js'
import { resultOf } from '../../contracts/engine.contract.js'
import { limits, openScript, scratch } from '../../engine/temporary-database.js'

const script = `
  CREATE TABLE shops (id INTEGER PRIMARY KEY, name VARCHAR COLLATE NOCASE, size INTEGER, boss INTEGER REFERENCES shops (id));
  CREATE VIEW large AS SELECT * FROM shops WHERE size > 1;
  INSERT INTO shops VALUES (1, 'North', 2, NULL);
  INSERT INTO shops VALUES (2, 'South', 2, NULL), (3, 'East', 3, 1);
  INSERT INTO shops VALUES (4, NULL, 1, 3);
`

const how = { limits, order: unordered, tolerance: 1e-4, columns: undefined }

const opened: Engine[] = []
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})

async function openedWith(kind: EngineKind, text = script): Promise<Engine> {
  const engine = await openScript(kind, scratch(), text)
  opened.push(engine)
  return engine
}

async function differs(engine: Engine, sql: string): Promise<boolean> {
  const outcome = await engine.query(sql, limits)
  if (outcome.kind !== 'rows') throw new Error(outcome.message)
  return (await findTieNondeterminism(engine, sql, outcome, how)) !== undefined
}

describe.each<[string, EngineKind]>([
  ['SQLite', sqliteKind],
  ['DuckDB', duckdbKind],
])('the rows of a %s database', (_, kind) => {
  it('are the same in every order in which they are stored', async () => {
    const engine = await openedWith(kind)
    const sql = "SELECT * FROM shops WHERE name = 'NORTH' OR name <> 'north' OR name IS NULL"
    const usual = resultOf(await engine.query(`${sql} ORDER BY id`, limits)).rows
    for (const seed of [undefined, 1, 2]) {
      const outcome = await engine.copies?.queryReordered(`${sql} ORDER BY id`, limits, seed)
      expect(outcome && resultOf(outcome).rows).toEqual(usual)
    }
    const first = await engine.copies?.queryReordered('SELECT id FROM shops LIMIT 1', limits)
    expect(first && resultOf(first).rows).not.toEqual([[1]])
  })

  it('show which queries take one of several, through views too', async () => {
    const engine = await openedWith(kind)
    expect(await differs(engine, 'SELECT name FROM large ORDER BY size LIMIT 1')).toBe(true)
    expect(await differs(engine, 'SELECT name FROM large ORDER BY size DESC LIMIT 1')).toBe(false)
    expect(await differs(engine, 'SELECT name FROM large ORDER BY size')).toBe(false)
  })

  it('prove nothing where a query reads row ids, or no copy can be made', async () => {
    const engine = await openedWith(kind)
    expect(await differs(engine, 'SELECT name FROM shops ORDER BY rowid LIMIT 1')).toBe(false)
    const broken: Engine = {
      ...engine,
      copies: engine.copies && {
        ...engine.copies,
        queryReordered: () => Promise.reject(new AutotestError('engine_unavailable', 'no room')),
      },
    }
    const tied = 'SELECT name FROM large ORDER BY size LIMIT 1'
    expect(await differs(broken, tied)).toBe(false)
    expect(await differs({ ...engine, copies: undefined }, tied)).toBe(false)
  })
})

describe('an SQLite database in another order', () => {
  it('keeps collations and affinities', async () => {
    const engine = await openedWith(
      sqliteKind,
      `CREATE TABLE t (a TEXT COLLATE NOCASE PRIMARY KEY, b, c REAL, d AS (c * 2), e INTEGER) WITHOUT ROWID;
       CREATE TABLE s (x ANY, y TEXT COLLATE RTRIM) STRICT;
       CREATE VIEW ids AS SELECT rowid AS r FROM s;
       INSERT INTO t VALUES ('k', 1.0, 1, 7), ('l', '1', 2, 8), ('m', 1, 3, 9);
       INSERT INTO s VALUES ('1', 'a '), (1, 'a');`,
    )
    for (const sql of [
      "SELECT a, b, c, d, e, typeof(b), typeof(c), b = '1', e = '7' FROM t WHERE a >= 'K'",
      "SELECT x, typeof(x), y FROM s WHERE y = 'a   '",
    ])
      expect([sql, await differs(engine, sql)]).toEqual([sql, false])
    expect(await differs(engine, 'SELECT x FROM s LIMIT 1')).toBe(true)
    const view = await engine.copies?.queryReordered('SELECT r FROM ids', limits)
    expect(view?.kind).toBe('failed')
  })
})
