import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits, QueryOutcome, ResultSet } from '../../src/engine/contract/engine.js'
import { needsTwoCores } from '../needs.js'

/** Makes the database that every engine is tested on; plain enough for all dialects. */
export const contractScript = `
  CREATE TABLE items (id INTEGER, name VARCHAR(20), price DOUBLE PRECISION);
  INSERT INTO items
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    SELECT i, 'item ' || i, i / 4.0 FROM n;
  UPDATE items SET name = NULL WHERE id = 3;
  CREATE VIEW cheap AS SELECT id, name FROM items WHERE price < 1;
`

export interface EngineSubject {
  /** Opens an engine on a database of its own made by `contractScript`. */
  open(concurrency: number): Promise<Engine>
  /** A reading statement that takes more memory than any limit here; absent where queries run out of our reach. */
  readonly greedy?: string | undefined
  /** Statements beyond the common ones that must not run. */
  readonly forbidden: readonly string[]
}

const limits: QueryLimits = { timeoutMs: 5000, rows: 2000, bytes: 1_000_000, memoryBytes: 400_000_000 }
const short: QueryLimits = { ...limits, timeoutMs: 400 }
const endless = 'SELECT sum(a.id * b.id + c.id - d.id) FROM items a, items b, items c, items d'

/** What every engine must do, whatever runs the SQL. */
export function engineContract(name: string, subject: EngineSubject): void {
  describe(`${name} as an engine`, () => {
    let engine: Engine
    beforeAll(async () => {
      engine = await subject.open(2)
    })
    afterAll(() => engine.close())

    const rowsOf = async (sql: string, within = limits) => resultOf(await engine.query(sql, within)).rows

    it('names its columns in order and returns rows as arrays', async () => {
      const result = resultOf(
        await engine.query('SELECT id, name, price FROM items WHERE id < 4 ORDER BY id', limits),
      )
      expect(result.columns.map((column) => column.name)).toEqual(['id', 'name', 'price'])
      expect(result.rows).toEqual([
        [1, 'item 1', 0.25],
        [2, 'item 2', 0.5],
        [3, null, 0.75],
      ])
      expect(result.cut).toBeNull()
    })

    it('loses no column to equal or awkward names', async () => {
      const result = resultOf(await engine.query('SELECT 1 AS x, 2 AS x, 3 AS "__proto__"', limits))
      expect(result.columns.map((column) => column.name)).toEqual(['x', 'x', '__proto__'])
      expect(result.rows).toEqual([[1, 2, 3]])
    })

    it('keeps integers exact: numbers up to 2^53 - 1, bigints beyond', async () => {
      expect(await rowsOf('SELECT 9007199254740991, 9007199254740993, -9007199254740993')).toEqual([
        [9007199254740991, 9007199254740993n, -9007199254740993n],
      ])
    })

    it('tells columns of an empty result', async () => {
      const result = resultOf(await engine.query('SELECT id, name FROM items WHERE id < 0', limits))
      expect([result.columns.length, result.rows.length, result.cut]).toEqual([2, 0, null])
    })

    it('cuts at the row cap, and only beyond it', async () => {
      const at = (rows: number) => engine.query('SELECT id FROM items', { ...limits, rows })
      const cut = resultOf(await at(999))
      expect([cut.rows.length, cut.cut]).toEqual([999, 'rows'])
      const whole = resultOf(await at(1000))
      expect([whole.rows.length, whole.cut]).toEqual([1000, null])
    })

    it('cuts at the byte cap', async () => {
      const cut = resultOf(await engine.query('SELECT id, name FROM items', { ...limits, bytes: 1000 }))
      expect(cut.cut).toBe('bytes')
      expect(cut.rows.length).toBeGreaterThan(10)
      expect(cut.rows.length).toBeLessThan(100)
    })

    it('kills a query at its deadline and answers the next', async () => {
      expect(await engine.query(endless, short)).toMatchObject({ kind: 'killed', limit: 'deadline' })
      expect(await rowsOf('SELECT count(*) FROM items')).toEqual([[1000]])
    })

    it.skipIf(subject.greedy === undefined)(
      'kills a query at its memory limit and answers the next',
      async () => {
        const outcome = await engine.query(subject.greedy ?? '', {
          ...limits,
          timeoutMs: 20_000,
          memoryBytes: 256_000_000,
        })
        expect(outcome).toMatchObject({ kind: 'killed', limit: 'memory' })
        expect(await rowsOf('SELECT count(*) FROM items')).toEqual([[1000]])
      },
    )

    it.each([
      'SELECT 1;;;',
      '-- the answer\n/* of the agent */ SELECT 1;',
      'WITH one AS (SELECT 1) SELECT * FROM one',
      'VALUES (1)',
    ])('runs %j', async (sql) => {
      expect(await rowsOf(sql)).toEqual([[1]])
    })

    it.each([
      '',
      '-- nothing but a comment',
      'SELECT 1; SELECT 2',
      'SELECT 1; DROP TABLE items',
      'SELECT 1\0; DROP TABLE items',
      'DELETE FROM items',
      '/* SELECT */ DELETE FROM items RETURNING *',
      'UPDATE items SET id = 0',
      "INSERT INTO items VALUES (0, '', 0)",
      'CREATE TABLE t (x INTEGER)',
      'CREATE TEMP TABLE items AS SELECT 1 AS id',
      'DROP TABLE items',
      'BEGIN',
      'EXPLAIN SELECT 1',
      "ATTACH ':memory:' AS other",
      ...subject.forbidden,
    ])('refuses %j before running it', async (sql) => {
      expect(await engine.query(sql, limits)).toMatchObject({ kind: 'refused' })
      expect(await rowsOf('SELECT count(*), min(id), max(id) FROM items')).toEqual([[1000, 1, 1000]])
    })

    it.each([
      ['SELECT nope FROM items', /nope/],
      ['SELECT * FROM nope', /nope/],
      ['SELECT FROM WHERE', /syntax/],
    ])('reports the failure of %j in one line', async (sql, message) => {
      const outcome = await engine.query(sql, limits)
      expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(message) })
      expect(outcome.kind === 'failed' ? outcome.message : '').not.toContain('\n')
    })

    it('explains without running', async () => {
      expect(resultOf(await engine.explain('SELECT id AS n FROM items', limits))).toMatchObject({
        columns: [{ name: 'n' }],
        rows: [],
      })
      expect(await engine.explain(endless, short)).toMatchObject({ kind: 'rows' })
      expect(await engine.explain('SELECT nope FROM items', limits)).toMatchObject({ kind: 'failed' })
      expect(await engine.explain('DROP TABLE items', limits)).toMatchObject({ kind: 'refused' })
    })

    it('lists tables and views with their columns', async () => {
      const { tables } = await engine.catalogue()
      expect(tables.map((table) => [table.name, table.columns.map((column) => column.name)])).toEqual([
        ['cheap', ['id', 'name']],
        ['items', ['id', 'name', 'price']],
      ])
    })

    it('has a fingerprint that reading does not change', async () => {
      const before = await engine.fingerprint()
      await rowsOf('SELECT max(name) FROM items')
      expect(before).toMatch(/^[0-9a-f]{64}$/)
      expect(await engine.fingerprint()).toBe(before)
    })

    it('gives each of many queries at once its own answer', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => index + 1)
      const answers = await Promise.all(ids.map((id) => rowsOf(`SELECT id FROM items WHERE id = ${id}`)))
      expect(answers).toEqual(ids.map((id) => [[id]]))
    })

    it('does not let one slow query hold up the others', needsTwoCores, async () => {
      const done: string[] = []
      const slow = engine.query(endless, { ...limits, timeoutMs: 5000 }).then(() => done.push('slow'))
      await rowsOf('SELECT 1').then(() => done.push('quick'))
      await slow
      expect(done).toEqual(['quick', 'slow'])
    })

    it('answers what runs and waits as killed when it is closed, and nothing afterwards', async () => {
      const closing = await subject.open(1)
      const asked = [closing.query(endless, limits), closing.query('SELECT 1', limits)]
      await closing.close()
      expect((await Promise.all(asked)).map((outcome) => outcome.kind)).toEqual(['killed', 'killed'])
      await expect(closing.query('SELECT 1', limits)).rejects.toMatchObject({ code: 'engine_unavailable' })
    })
  })
}

/** The rows of an outcome that must have some. */
export function resultOf(outcome: QueryOutcome): ResultSet {
  if (outcome.kind !== 'rows') throw new Error(`expected rows, got ${outcome.kind}: ${outcome.message}`)
  return outcome.result
}
