import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { both, itKeepsRowsOfDuckdb, settingOf } from '../../rule-tests.js'

describe('the rule first-row on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'the first row by a key',
      'SELECT a FROM t ORDER BY id DESC LIMIT 1',
      'SELECT a FROM t WHERE id = (SELECT max(id) FROM t)',
      'SELECT a FROM t WHERE id = (SELECT min(id) FROM t)',
    ],
  ])
})

it.each([
  [
    'SELECT b FROM t WHERE a IS NOT NULL ORDER BY a DESC LIMIT 1',
    'SELECT b FROM t WHERE a IS NOT NULL AND a = (SELECT max(a) FROM t WHERE a IS NOT NULL)',
    'no two rows share the largest t.a',
  ],
  [
    'SELECT a FROM t GROUP BY a ORDER BY count(*) LIMIT 1',
    'SELECT a FROM t GROUP BY a HAVING count(*) = (SELECT min(n) FROM (SELECT count(*) AS n FROM t GROUP BY a))',
    'no two rows share the first place',
  ],
])('%s is %s only where %s', async (first, extreme, words) => {
  const { parser, schema } = await settingOf(duplicatesAndNulls)
  for (const dialect of both) {
    const finding = compareQueries(parser, first, extreme, dialect, { schema })
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: [words] })
    const other = compareQueries(parser, first, extreme.replace(/max|min/u, 'avg'), dialect, { schema })
    expect(other.kind).toBe('different')
  }
})
