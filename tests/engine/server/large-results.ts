import { expect, it } from 'vitest'
import type { ResultFinding } from '../../../src/compare/model/sql-score.js'
import { queryOrder } from '../../../src/compare/order/query-order.js'
import { runAndCompare } from '../../../src/compare/outcomes/run-and-compare.js'
import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import { loadSqlParser } from '../../../src/sql/index.js'

/** Far below the rows of the results that are compared. */
const limits: QueryLimits = { timeoutMs: 60_000, rows: 1000, bytes: 10_000_000, memoryBytes: 400_000_000 }

/** Compares two queries whose results are above the cap. */
async function compareLarge(
  engine: Engine,
  expectedSql: string,
  generatedSql: string,
): Promise<ResultFinding> {
  return runAndCompare({
    engine,
    expectedSql,
    generatedSql,
    limits,
    same: false,
    order: queryOrder(await loadSqlParser(), expectedSql, engine.dialect),
    tolerance: 1e-4,
    columns: 'auto',
    expectedOutcome: () => engine.query(expectedSql, limits),
  })
}

/**
 * What comparing inside an engine has to find, on a table `numbers` of 30,000 rows: `id`, `name` (of 100), `price` (a decimal), `ratio` (a
 * double), `day`.
 */
export function largeResultContract(engineOf: () => Engine, numbers = 'numbers'): void {
  const columns = 'id, name, price, ratio, day'
  const all = `SELECT ${columns} FROM ${numbers}`
  const compare = (expected: string, generated: string) => compareLarge(engineOf(), expected, generated)

  it('equal rows match, whatever their order and that of the columns', async () => {
    const found = await compare(all, `SELECT day, ratio, price, name, id FROM ${numbers} WHERE id > -1`)
    expect(found).toMatchObject({ kind: 'match', comparison: { expectedRows: 30_000, actualRows: 30_000 } })
  })

  it('a missing row is found, and shown', async () => {
    const found = await compare(all, `${all} WHERE id <> 17001`)
    expect(found).toMatchObject({
      kind: 'mismatch',
      comparison: { expectedRows: 30_000, actualRows: 29_999, differing: 1 },
    })
    expect(JSON.stringify(found)).toContain('17001')
  })

  it('a row that is there twice is found', async () => {
    const found = await compare(all, `${all} UNION ALL ${all} WHERE id = 5`)
    expect(found).toMatchObject({ kind: 'mismatch', comparison: { actualRows: 30_001, differing: 1 } })
  })

  it('of many differing rows some are read', async () => {
    const found = await compare(all, `SELECT id + 1 AS id, name, price, ratio, day FROM ${numbers}`)
    expect(found).toMatchObject({
      kind: 'mismatch',
      comparison: { untried: 'only some of the rows that differ were read' },
    })
  })

  it('numbers within the tolerance match where the rows that differ are few', async () => {
    const near = `SELECT id, name, price, CASE WHEN id < 300 THEN ratio * 1.00001 ELSE ratio END AS ratio, day FROM ${numbers}`
    expect((await compare(all, near)).kind).toBe('match')
    const far = near.replace('1.00001', '1.01')
    expect((await compare(all, far)).kind).toBe('mismatch')
  })

  it('sums alone prove nothing', async () => {
    const found = await compare(all, `SELECT id, name, price, ratio * 1.00001 AS ratio, day FROM ${numbers}`)
    expect(found).toMatchObject({
      kind: 'cut',
      message: expect.stringMatching(/exact columns agree, and the sums of the others within the tolerance/),
    })
  })

  it('sums that differ too much refute', async () => {
    const found = await compare(all, `SELECT id, name, price, ratio * 1.1 AS ratio, day FROM ${numbers}`)
    expect(found.kind).toBe('mismatch')
  })

  it('texts, NULLs and repeated rows are counted', async () => {
    const names = `SELECT name, CASE WHEN id > 5 THEN day END AS day FROM ${numbers}`
    expect((await compare(names, `${names} WHERE id >= 0`)).kind).toBe('match')
    expect((await compare(names, names.replace('id > 5', 'id > 6'))).kind).toBe('mismatch')
  })

  it('whole numbers beyond those of a double are compared with all their digits', async () => {
    const large = `SELECT CAST(9007199254740992 AS bigint) + CAST(id AS bigint) AS n FROM ${numbers} WHERE id < 2000`
    const asDecimals = (added: number) =>
      `SELECT CAST(CAST(9007199254740992 AS bigint) + CAST(id AS bigint) + ${added} AS decimal(20, 0)) AS n FROM ${numbers} WHERE id < 2000`
    expect((await compare(large, asDecimals(0))).kind).toBe('match')
    expect((await compare(large, asDecimals(1))).kind).toBe('mismatch')
  })

  it('an order that counts was not looked at', async () => {
    const found = await compare(`${all} ORDER BY id`, `${all} ORDER BY id DESC`)
    expect(found).toMatchObject({ kind: 'cut', message: expect.stringMatching(/order was not looked at/) })
  })

  it('columns of other numbers and of types that are not comparable stay undecided', async () => {
    expect((await compare(all, `SELECT id FROM ${numbers}`)).kind).toBe('cut')
    expect((await compare(`SELECT id FROM ${numbers}`, `SELECT name AS id FROM ${numbers}`)).kind).toBe('cut')
  })
}
