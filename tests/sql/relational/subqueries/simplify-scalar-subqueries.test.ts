import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema } from '../../../../src/sql/tables/load-schema.js'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule simplify-scalar-subqueries on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'the first of an order as the largest',
      'SELECT id FROM t WHERE a < (SELECT max(x) FROM u)',
      'SELECT id FROM t WHERE a < (SELECT x FROM u ORDER BY x DESC NULLS LAST LIMIT 1)',
      'SELECT id FROM t WHERE a < (SELECT x FROM u ORDER BY x DESC NULLS FIRST LIMIT 1)',
    ],
    [
      'the first of an order of values that are never NULL',
      'SELECT id, a - (SELECT min(id) FROM u WHERE u.y = t.b) FROM t',
      'SELECT id, a - (SELECT DISTINCT id FROM u WHERE u.y = t.b ORDER BY 1 LIMIT 1) FROM t',
      'SELECT id, a - (SELECT id FROM u WHERE u.y = t.b ORDER BY 1 DESC LIMIT 1) FROM t',
    ],
    [
      'whether there are any, counted',
      'SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.x = t.a)',
      'SELECT id FROM t WHERE (SELECT count(*) FROM u WHERE u.x = t.a) > 0',
      'SELECT id FROM t WHERE (SELECT count(*) FROM u WHERE u.x = t.a) > 1',
    ],
    [
      'whether there are none, counted',
      'SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.x = t.a AND u.y IS NOT NULL)',
      'SELECT id FROM t WHERE 1 > (SELECT count(DISTINCT u.y) FROM u WHERE u.x = t.a)',
      'SELECT id FROM t WHERE (SELECT count(*) FROM u WHERE u.x = t.a) = 0',
    ],
  ])
})

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('the first of an order as the greatest value', () => {
  it('is it where there is no NaN', () => {
    const ask = (schema: string): unknown =>
      compareQueries(
        parser,
        'SELECT k FROM t WHERE a = (SELECT a FROM t ORDER BY a DESC LIMIT 1)',
        'SELECT k FROM t WHERE a = (SELECT max(a) FROM t)',
        'trino',
        { schema: parseSchema(parser, schema, 'trino') },
      )
    expect(ask('CREATE TABLE t (k INTEGER, a BIGINT NOT NULL)')).toMatchObject({ kind: 'equal' })
    expect(ask('CREATE TABLE t (k INTEGER, a DOUBLE NOT NULL)')).toMatchObject({
      kind: 'equal_if',
      assumptions: ['t.a is never NaN'],
    })
  })
})
