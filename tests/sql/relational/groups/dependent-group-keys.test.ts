import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { comparePair, kindBothWays } from '../../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a key that a query in PostgreSQL shows', () => {
  const shown = 'SELECT t.id, t.name, count(*) FROM t JOIN u ON u.t_id = t.id GROUP BY t.id'

  it.each(['sqlite', 'mysql', 'snowflake'])('is a key in %s, too', (dialect) => {
    expect(kindBothWays(parser, `postgres: ${shown}`, `${dialect}: ${shown}`)).toBe('equal')
    expect(kindBothWays(parser, `postgres: ${shown}`, `${dialect}: ${shown}, t.name`)).toBe('equal')
  })

  it('is not a key of other tables, nor where no query is in PostgreSQL', () => {
    const other = 'SELECT t.id, u.name, count(*) FROM t JOIN u ON u.t_id = t.id GROUP BY t.id'
    expect(kindBothWays(parser, `postgres: ${shown}`, `sqlite: ${other}`)).toBe('different')
    expect(kindBothWays(parser, `sqlite: ${shown}`, `mysql: ${shown}, t.name`)).toBe('different')
  })
})

describe('keys that a group shows', () => {
  it('are named where PostgreSQL wants the primary key only', () => {
    expect(
      comparePair(
        parser,
        'postgres: SELECT s.id, s.name, sum(x.n) FROM s JOIN x ON x.s = s.id GROUP BY s.id',
        'bigquery: SELECT s.id, s.name, sum(x.n) FROM s JOIN x ON x.s = s.id GROUP BY s.id, s.name',
      ).kind,
    ).toBe('equal')
  })

  it('are not where another dialect shows any row of the group', () => {
    expect(
      comparePair(
        parser,
        'sqlite: SELECT s.id, s.name, sum(x.n) FROM s JOIN x ON x.s = s.id GROUP BY s.id',
        'bigquery: SELECT s.id, s.name, sum(x.n) FROM s JOIN x ON x.s = s.id GROUP BY s.id, s.name',
      ).kind,
    ).toBe('different')
  })
})
