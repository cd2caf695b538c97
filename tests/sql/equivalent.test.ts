import { expect, it } from 'vitest'
import { areEquivalent, compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser } from '../../src/sql/parser.js'

const parser = await loadSqlParser()

it.each([
  ['SELECT a FROM t WHERE b BETWEEN 1 AND 2', 'SELECT t.a FROM t WHERE b >= 1 AND 2 >= b', 'equal'],
  [
    'SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.i = t.i)',
    'SELECT a FROM t WHERE i IN (SELECT i FROM u)',
    'equal',
  ],
  ['SELECT a FROM t WHERE b = 1', 'SELECT a FROM t WHERE b = 2', 'different'],
  ['SELECT max(x) FROM t', 'SELECT x FROM t ORDER BY x DESC LIMIT 1', 'different'],
  ['SELECT a FROM s.t', 'SELECT a FROM t', 'equal_if'],
  ['SELECT a AS x FROM t GROUP BY x', 'SELECT a FROM t GROUP BY a', 'equal_if'],
  ['SELECT a FROM', 'SELECT a FROM t', 'unparsable'],
])('asking only whether queries are equal finds what comparing finds: %s | %s', (one, other, kind) => {
  expect(compareQueries(parser, one, other, 'sqlite').kind).toBe(kind)
  expect(areEquivalent(parser, one, other, 'sqlite')).toBe(kind === 'equal')
  expect(areEquivalent(parser, other, one, 'sqlite')).toBe(kind === 'equal')
})
