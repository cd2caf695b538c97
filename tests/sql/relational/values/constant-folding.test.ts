import { describe } from 'vitest'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule constant-folding on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'FILTER (WHERE TRUE)',
      'SELECT count(DISTINCT a) FILTER (WHERE 3 > 2), sum(b) FILTER (WHERE TRUE) FROM t',
      'SELECT count(DISTINCT a), sum(b) FROM t',
      'SELECT count(DISTINCT a) FILTER (WHERE a > 1), sum(b) FROM t',
    ],
    [
      'a value in any case',
      'SELECT id, b FROM t',
      'SELECT id, CASE WHEN a > 1 THEN b ELSE b END FROM t',
      'SELECT id, CASE WHEN a > 1 THEN b END FROM t',
    ],
    [
      'texts that are written out',
      "SELECT id, 'ab' FROM t WHERE 'x' = lower('X')",
      "SELECT id, 'a' || 'b' FROM t",
      "SELECT id, 'a' || 'B' FROM t",
    ],
    [
      'texts at the end of others',
      "SELECT CAST(id AS TEXT) || '-x' FROM t",
      "SELECT CAST(id AS TEXT) || '-' || 'x' FROM t",
      "SELECT CAST(id AS TEXT) || 'x' || '-' FROM t",
    ],
    [
      '-0 in comparisons',
      'SELECT id FROM t WHERE a > -0.0',
      'SELECT id FROM t WHERE a > 0.0',
      'SELECT id FROM t WHERE a > 1.0',
    ],
  ])
})
