import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const compare = (a: string, b: string) => compareQueries(parser, a, b, 'sqlite')

describe('names of outputs', () => {
  it.each([
    ['SELECT id AS a, age AS b FROM t', 'SELECT age AS a, id AS b FROM t'],
    ['SELECT id, age FROM t', 'SELECT id AS age, age AS ID FROM t'],
    [
      'SELECT x, sum(y) AS net, sum(z) AS gross FROM t GROUP BY x',
      'SELECT x, sum(z) AS net, sum(y) AS gross FROM t GROUP BY 1',
    ],
    [
      'WITH c AS (SELECT max(y) AS p, min(y) AS q FROM t) SELECT p, q FROM c',
      'SELECT max(y) AS q, min(y) AS p FROM t',
    ],
  ])('that change places are another answer: %s and %s', (expected, generated) => {
    expect(compare(expected, generated)).toMatchObject({
      kind: 'different',
      differences: [{ component: 'projections' }, { component: 'projections' }],
    })
  })

  it('say which column is meant', () => {
    const found = compare('SELECT id AS a, age AS b FROM t', 'SELECT age AS a, id AS b FROM t')
    expect(found).toMatchObject({
      differences: [{ text: 'column a: age instead of id' }, { text: 'column b: id instead of age' }],
    })
  })

  it.each([
    ['SELECT id AS a, age AS b FROM t', 'SELECT age AS b, id AS a FROM t'],
    ['SELECT id AS a, age AS b FROM t', 'SELECT age AS y, id AS x FROM t'],
    ['SELECT id AS a, age FROM t', 'SELECT age AS a, id FROM t'],
    ['SELECT id AS a, age AS b FROM t', 'SELECT age, id FROM t'],
    ['SELECT DISTINCT id, age FROM t', 'SELECT age, id FROM t GROUP BY 1, 2'],
  ])('are ignored in another order, and where they are not the same on both sides: %s and %s', (a, b) => {
    expect(compare(a, b).kind).toBe('equal')
  })
})
