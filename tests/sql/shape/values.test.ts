import { describe } from 'vitest'
import { duplicatesAndNulls } from '../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../rule-tests.js'

describe('values on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(
    duplicatesAndNulls,
    [
      [
        'VALUES as SELECTs',
        'SELECT q.k FROM (VALUES (1, 2), (3, 4), (5, 6)) AS q(k, v) WHERE q.v > 2',
        'SELECT 3 UNION ALL SELECT 5',
        'SELECT 3 UNION ALL SELECT 6',
      ],
    ],
    ['duckdb'],
  )
})
