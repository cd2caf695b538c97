import { describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../src/benchmark/case.js'
import { findRenamedNames } from '../../../src/domains/sql/renamed-names.js'
import { parseKnowledgeBase } from '../../../src/kb/parse.js'
import { loadSqlParser, schemaFromCatalogue } from '../../../src/sql/index.js'
import { snapshotOf } from '../../kb/knowledge-files.js'

const parser = await loadSqlParser()
const files = {
  'kb/metrics/gmv.yaml': 'metric: gmv\ntitle: GMV\naliases: [GMV]\nsnippet: gmv.sql\n',
  'kb/snippets/gmv.sql':
    'SELECT\n  sum(o.amount) AS gmv\nFROM orders AS o\nWHERE o.day > 1 AND o.status = 2\n',
}

function causeOf(
  message: string,
  tables: Record<string, readonly string[]>,
  sql: string,
): string | undefined {
  const testCase: SqlCase = {
    kind: 'sql',
    id: 'gmv',
    question: 'GMV',
    expectedSql: sql,
    tags: [],
    compare: {},
    location: { file: 'benchmarks/shop.yaml', line: 2 },
    sqlLocation: { file: 'benchmarks/shop.yaml', line: 4 },
  } as unknown as SqlCase
  const snapshot = snapshotOf(files)
  const schema = schemaFromCatalogue({
    tables: Object.entries(tables).map(([name, columns]) => ({
      name,
      columns: columns.map((column) => ({ name: column, type: 'INTEGER' })),
    })),
  })
  const [found] = findRenamedNames([{ testCase, dialect: 'sqlite', message }], {
    kb: parseKnowledgeBase(snapshot, 'kb'),
    snapshot,
    parser,
    dialect: 'sqlite',
    benchmark: [testCase],
    schemaOf: () => schema,
  })
  return found?.cause
}

const sql = 'SELECT sum(o.amount) AS gmv FROM orders AS o WHERE o.day > 1 AND o.status = 2'

describe('an expected query that fails for a name', () => {
  it.each([
    ['no such column: o.amount'],
    ['Binder Error: Table "o" does not have a column named "amount"'],
    ['Binder Error: Referenced column "amount" not found in FROM clause!'],
    ['column o.amount does not exist'],
    ["Unknown column 'o.amount' in 'SELECT'"],
  ])('is told the new name from the catalogue: %s', (message) => {
    const cause = causeOf(message, { orders: ['day', 'status', 'total_amount', 'note'] }, sql)
    expect(cause).toBe(
      'the database has no column orders.amount: it is most likely total_amount now, which no query of this project names; still written in kb/snippets/gmv.sql:2, benchmarks/shop.yaml:4',
    )
  })

  it('is told every possible name where none is like the former one', () => {
    const cause = causeOf('no such column: amount', { orders: ['day', 'status', 'euros', 'note'] }, sql)
    expect(cause).toContain('columns there that no query of this project names: euros, note;')
  })

  it('is told that nothing is new where the column is simply gone', () => {
    const cause = causeOf('no such column: amount', { orders: ['day', 'status'] }, sql)
    expect(cause).toContain('the database has no column orders.amount: and no column there is new')
  })

  it('is told the new name of a table', () => {
    const cause = causeOf('no such table: orders', { orders_v2: ['day', 'amount', 'status'] }, sql)
    expect(cause).toContain('the database has no table orders: it is most likely orders_v2 now')
    expect(cause).toContain('kb/snippets/gmv.sql:3')
  })

  it.each([
    ['near "FROM": syntax error', sql],
    ['no such column: amont', sql.replace('amount', 'amont')],
  ])('is not taken for a renamed one otherwise: %s', (message, text) => {
    expect(causeOf(message, { orders: ['day', 'status', 'amount'] }, text)).toBeUndefined()
  })
})
