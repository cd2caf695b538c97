import { describe, expect, it } from 'vitest'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { identifiersIn } from '../../../src/engine/fuzz/redistribute-values.js'
import { resultOf } from '../../contracts/engine.contract.js'
import { limits, openScript, scratch } from '../temporary-database.js'

const script = `
  CREATE TABLE things (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, size INTEGER, stage TEXT, done INTEGER NOT NULL);
  INSERT INTO things WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 120)
    SELECT i, CASE WHEN i % 3 = 0 THEN 'toy' ELSE 'book' END, i * 7 % 101, 's' || (i % 4), i % 2 FROM r;
`

async function dealt(summit: 'asked' | 'others', sql: string, words = ['size', 'stage', 'done']) {
  const engine = await openScript(sqliteKind, scratch(), script)
  if (engine.copies === undefined) throw new Error('no copies')
  const copy = await engine.copies.open({ seed: 1, index: 1 })
  const values = [{ table: 'things', column: 'kind', kind: 'text', text: 'toy' }] as const
  const placed = await copy.withValues(values, { identifiers: words, maximaIn: summit })
  const { rows } = resultOf(await placed.query(sql, limits))
  await placed.close()
  return rows[0]
}

describe('values redistributed by a condition', () => {
  const extremes = `SELECT max(size) FILTER (WHERE kind = 'toy') > max(size) FILTER (WHERE kind <> 'toy'),
    min(size) FILTER (WHERE kind = 'toy') > min(size) FILTER (WHERE kind <> 'toy') FROM things`

  it('are the greatest where a query selects the row, or else the least', async () => {
    expect(await dealt('asked', extremes)).toEqual([1, 1])
    expect(await dealt('others', extremes)).toEqual([0, 0])
  })

  it('are the greatest in one of the rows that are not selected', async () => {
    const sql = 'SELECT count(*), min(kind) FROM things WHERE size = (SELECT max(size) FROM things)'
    const [count, kind] = (await dealt('others', sql)) ?? []
    expect(count).toBe(1)
    expect(kind).not.toBe('toy')
  })

  it('are several in each group, and both values of a flag', async () => {
    const sql = "SELECT count(DISTINCT stage) > 1, count(DISTINCT done) FROM things WHERE kind = 'toy'"
    expect(await dealt('others', sql)).toEqual([1, 2])
  })

  it('are those of columns that the queries name', async () => {
    const sql = 'SELECT max(size) FROM things'
    const untouched = await dealt('others', 'SELECT group_concat(size) FROM things', [])
    expect(await dealt('others', 'SELECT group_concat(size) FROM things', [])).toEqual(untouched)
    expect(await dealt('others', 'SELECT group_concat(size) FROM things', ['size'])).not.toEqual(untouched)
    expect(await dealt('others', sql, ['*'])).toEqual(await dealt('others', sql, ['size', 'stage', 'done']))
  })
})

describe('names in queries', () => {
  it('are words in lower case, quoted names whole, and all for a star', () => {
    expect(identifiersIn(['SELECT "Group By", Size FROM t', 'SELECT count(*) FROM t'])).toEqual(
      expect.arrayContaining(['group by', 'size', 't']),
    )
    expect(identifiersIn(['SELECT count(*) FROM t'])).not.toContain('*')
    expect(identifiersIn(['SELECT t.* FROM t'])).toContain('*')
  })
})
