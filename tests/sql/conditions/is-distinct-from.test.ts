import { describe } from 'vitest'
import { groupsWithTies } from '../rule-tables.js'
import { both, describeRules } from '../rule-tests.js'

describe('is distinct from on groups with ties', () => {
  const matched = (test: string): string => `SELECT id FROM t WHERE ${test}`

  describeRules(groupsWithTies, [
    [
      'NULL as a value among others',
      both,
      matched('a IS DISTINCT FROM 1'),
      matched('a <> 1 OR a IS NULL'),
      matched('a <> 1'),
    ],
    [
      'NULL as a value of both',
      both,
      matched('a IS NOT DISTINCT FROM b'),
      matched('a = b OR (a IS NULL AND b IS NULL)'),
      matched('a = b'),
    ],
  ])
})
