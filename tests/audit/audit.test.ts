import { afterAll, describe, expect, it } from 'vitest'
import { sqliteKind } from '../../src/engine/file/sqlite.js'
import { messageOf } from '../../src/errors.js'
import { auditOf, closeDatabases, findingsOf, kinds, sqlCase } from './small-database.js'

afterAll(closeDatabases)

const paid = "SELECT sum(amount) AS gmv FROM orders WHERE market = 'ID' AND status = 'paid'"

describe.each(kinds)('wrong turns on %s', (_, kind) => {
  it('that give the same rows are reported with their words and their query', async () => {
    const report = await auditOf([sqlCase('gmv', 'ID GMV', `${paid} AND amount < 40`)], { kind })
    const [finding] = findingsOf(report, 'survivors')
    expect(finding).toMatchObject({ subject: 'gmv', file: 'benchmarks/shop.yaml', line: 10 })
    const words = finding?.mutants?.map((mutant) => mutant.words) ?? []
    // The only cancelled order is the one of 40.
    expect(words).toContain("without status = 'paid'")
    expect(words).toContain('without amount < 40')
    expect(words).not.toContain("without market = 'ID'")
    expect(finding?.mutants?.[0]?.sql).toBe(
      "SELECT sum(amount) AS gmv FROM orders WHERE market = 'ID' AND amount < 40",
    )
  })

  it('are counted once each, whatever became of them', async () => {
    const { cases } = await auditOf([sqlCase('gmv', 'ID GMV', paid)], { kind })
    const counts = cases[0]?.mutants
    expect(counts?.tried).toBeGreaterThan(10)
    const {
      tried = 0,
      toldApart = 0,
      byCopies = 0,
      equivalent = 0,
      surviving = 0,
      undecided = 0,
    } = counts ?? {}
    expect(toldApart + byCopies + equivalent + surviving + undecided).toBe(tried)
  })

  it('that the data show leave nothing to report', async () => {
    const sql = 'SELECT market, count(*) AS orders FROM orders GROUP BY market'
    const report = await auditOf(
      [sqlCase('orders', 'orders by market', sql, { compare: { order: 'unordered' } })],
      { kind },
    )
    expect(report.findings.filter(({ kind: found }) => found !== 'reads_nothing')).toEqual([])
  })

  it('that are shown to mean the same are no finding', async () => {
    // A repeated condition says nothing new.
    const sql = "SELECT count(*) FROM orders WHERE market IN ('ID', 'TH') AND market IN ('TH', 'ID')"
    const report = await auditOf([sqlCase('all', 'all orders', sql)], { kind })
    const [row] = report.cases
    expect(row?.equivalent).toContain("without market IN ('TH', 'ID')")
    expect(row?.mutants.equivalent).toBe(row?.equivalent.length)
  })
})

describe.each(kinds)('copies of a %s database', (_, kind) => {
  it('show wrong turns that its own rows do not', async () => {
    // No customer has two orders of one amount, and no amount is NULL.
    const cases = [sqlCase('gmv', 'gmv', 'SELECT sum(amount) AS gmv FROM orders')]
    const [alone, helped] = [await auditOf(cases, { kind }), await auditOf(cases, { kind, copies: 5 })]
    expect(findingsOf(alone, 'survivors')[0]?.mutants?.map(({ words }) => words)).toEqual([
      'sum(DISTINCT …) instead of sum(…)',
    ])
    expect(findingsOf(helped, 'survivors')).toEqual([])
    expect(helped.cases[0]?.mutants.byCopies).toBe(1)
  })
})

describe.each(kinds)('expected queries on %s', (_, kind) => {
  it('that fail are reported with what the database says', async () => {
    const report = await auditOf([sqlCase('typo', 'q', 'SELECT sum(amuont) FROM orders')], { kind })
    expect(findingsOf(report, 'expected_fails')[0]?.text).toMatch(/^expected_sql fails: .*amuont/s)
    expect(report.cases[0]?.mutants.tried).toBe(0)
  })

  it('that write are not run', async () => {
    const report = await auditOf([sqlCase('drop', 'q', 'DELETE FROM orders')], { kind })
    expect(findingsOf(report, 'expected_fails')[0]?.text).toMatch(/^expected_sql is not run: /)
  })

  it('that find no rows, or nothing but NULL, are reported', async () => {
    const report = await auditOf(
      [
        sqlCase('none', 'one', "SELECT day FROM orders WHERE market = 'XX'"),
        sqlCase('null', 'two', "SELECT sum(amount) FROM orders WHERE market = 'XX'"),
      ],
      { kind },
    )
    expect(findingsOf(report, 'empty').map(({ text }) => text)).toEqual([
      'returns no rows: any other empty answer matches',
      'returns only NULL: any other empty answer matches',
    ])
  })

  it('that are cut at the row cap are reported', async () => {
    const report = await auditOf([sqlCase('long', 'q', 'SELECT order_id FROM orders')], { kind, rows: 3 })
    expect(findingsOf(report, 'expected_cut')[0]?.text).toBe(
      'more than 3 rows (limits.rows): a truncated result never matches',
    )
  })

  it('that answer differently when asked again are reported', async () => {
    const report = await auditOf([sqlCase('dice', 'q', 'SELECT random() AS r FROM orders')], { kind })
    expect(findingsOf(report, 'nondeterministic')[0]?.text).toBe(
      'run twice, it returns different rows: it uses random rows or values: random',
    )
  })

  it('that answer alike by luck are reported for the clock, for LIMIT without order and for a tie at the limit', async () => {
    const report = await auditOf(
      [
        sqlCase('clock', 'one', 'SELECT count(*) FROM orders WHERE CAST(day AS DATE) < current_date'),
        sqlCase('any', 'two', 'SELECT order_id FROM orders LIMIT 2'),
        sqlCase('tie', 'three', 'SELECT market, day FROM orders ORDER BY day DESC LIMIT 2'),
        sqlCase('hidden', 'six', 'SELECT order_id FROM orders ORDER BY day DESC LIMIT 2'),
        sqlCase('steady', 'seven', 'SELECT market FROM orders ORDER BY day DESC, order_id LIMIT 2'),
        sqlCase('fine', 'four', 'SELECT market, day FROM orders ORDER BY day, order_id LIMIT 1'),
        sqlCase('uncut', 'five', 'SELECT max(amount) AS m FROM orders LIMIT 5'),
      ],
      { kind },
    )
    const found = findingsOf(report, 'nondeterministic').map(({ subject, text }) => `${subject}: ${text}`)
    expect(found).toContain('clock: reads the clock: current_date')
    expect(found).toContain('any: LIMIT 2 without ORDER BY: any rows may be returned')
    expect(found).toContain('tie: rows 2 and 3 are equal in day: LIMIT 2 may return either')
    expect(found).toContain('hidden: rows 2 and 3 are equal in all ordering keys: LIMIT 2 may return either')
    expect(found.filter((text) => /^(?:fine|uncut|steady)/.test(text))).toEqual([])
  })
})

describe.each(kinds)('expected queries on %s whose rows follow from how rows are stored', (name, kind) => {
  const isSqlite = name === 'SQLite'
  const joined = isSqlite ? 'group_concat' : 'string_agg'
  const luckOf = async (queries: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const cases = Object.entries(queries).map(([id, sql]) => sqlCase(id, id, sql))
    const found = findingsOf(await auditOf(cases, { kind }), 'nondeterministic')
    return Object.fromEntries(found.map(({ subject, text }) => [subject, text]))
  }

  it('are reported with what differs', async () => {
    const found = await luckOf({
      numbered:
        'SELECT order_id FROM (SELECT order_id, row_number() OVER (PARTITION BY day ORDER BY status) AS n FROM orders) t WHERE n = 1',
      before: 'SELECT order_id, lag(order_id) OVER (ORDER BY day) AS previous FROM orders',
      first:
        'SELECT DISTINCT first_value(amount) OVER (ORDER BY status DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS a FROM orders',
      texts: `SELECT market, ${joined}(status, ',') AS all_of FROM orders GROUP BY market`,
      inner: 'SELECT sum(amount) AS s FROM (SELECT amount FROM orders ORDER BY status DESC LIMIT 2) t',
      ...(isSqlite
        ? { bare: 'SELECT market, day FROM orders GROUP BY market' }
        : {
            any: 'SELECT market, any_value(day) AS d FROM orders GROUP BY market',
            most: 'SELECT arg_max(order_id, status) AS o FROM orders',
          }),
    })
    expect(Object.keys(found).sort()).toEqual(
      ['before', 'first', 'inner', 'numbered', 'texts', ...(isSqlite ? ['bare'] : ['any', 'most'])].sort(),
    )
    const start = 'with the same rows stored in another order, it returns different rows: '
    expect(found['inner']).toMatch(new RegExp(`^${start}1 of 1 rows differ, such as s [\\d.]+ instead of 30`))
    expect(found['texts']).toContain('all_of cancelled,paid,paid instead of paid,paid,cancelled')
  })

  it('are told from those with keys that no two rows share, and from sums in any order', async () => {
    const found = await luckOf({
      numbered:
        'SELECT order_id FROM (SELECT order_id, row_number() OVER (PARTITION BY day ORDER BY status, order_id) AS n FROM orders) t WHERE n = 1',
      before: 'SELECT day, lag(day) OVER (ORDER BY day) AS previous FROM orders',
      texts: `SELECT market, ${joined}(status, ',' ORDER BY status) AS all_of FROM orders GROUP BY market`,
      shown: 'SELECT market, day FROM orders ORDER BY day',
      hidden: 'SELECT order_id FROM orders ORDER BY day',
      sums: 'SELECT market, sum(amount * 0.1) AS s FROM orders GROUP BY market ORDER BY s',
      ids: 'SELECT max(rowid) AS r FROM orders',
    })
    expect(found).toEqual({})
  })
})

describe('an audit', () => {
  it('reports what it cannot read to make mutants of, and goes on', async () => {
    // SQLite reads any byte in a name that the parser does not know.
    const report = await auditOf(
      [sqlCase('odd', 'q', 'SELECT count(*) AS ⚡ FROM orders'), sqlCase('gmv', 'ID GMV', paid)],
      {
        kind: sqliteKind,
      },
    )
    expect(findingsOf(report, 'unreadable')[0]?.text).toMatch(/^expected_sql runs, but cannot be parsed/)
    expect(report.cases[1]?.mutants.tried).toBeGreaterThan(10)
  })

  it('reports a query that cannot be carried into the dialect of the database', async () => {
    const odd = sqlCase('odd', 'q', 'SELECT FROM WHERE', { dialect: 'trino' })
    const report = await auditOf([odd], { kind: sqliteKind })
    expect(findingsOf(report, 'expected_fails')[0]?.text).toMatch(
      /^expected_sql cannot be transpiled from trino to sqlite: /,
    )
  })

  it('names the case that has no database, and what to do', async () => {
    const run = auditOf([sqlCase('gmv', 'ID GMV', paid)], { engine: 'none' })
    await expect(run).rejects.toMatchObject({
      code: 'usage',
      message: 'audit runs queries, and gmv (benchmarks/shop.yaml:10) has no database',
    })
    expect(messageOf(await run.catch((error: unknown) => error))).toContain('gmv')
  })

  it('stops when it is interrupted', async () => {
    const run = auditOf([sqlCase('gmv', 'ID GMV', paid)], { signal: AbortSignal.abort() })
    await expect(run).rejects.toMatchObject({ code: 'interrupted' })
  })

  it('puts the worst first', async () => {
    const report = await auditOf([
      sqlCase('gmv', 'ID GMV', `${paid} AND amount < 40`),
      sqlCase('none', 'one', "SELECT day FROM orders WHERE market = 'XX'"),
      sqlCase('typo', 'two', 'SELECT sum(amuont) FROM orders'),
    ])
    expect([...new Set(report.findings.map(({ kind }) => kind))]).toEqual([
      'expected_fails',
      'empty',
      'survivors',
      'reads_nothing',
    ])
  })
})
