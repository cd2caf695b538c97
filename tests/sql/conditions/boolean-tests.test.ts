import { describe } from 'vitest'
import { groupsWithTies } from '../rule-tables.js'
import { both, describeRules } from '../rule-tests.js'

describe('boolean tests on groups with ties', () => {
  const matched = (test: string): string => `SELECT id FROM t WHERE ${test}`

  describeRules(groupsWithTies, [
    [
      'conditions that are not true',
      both,
      matched('(a > 1 OR b > 1) IS NOT TRUE'),
      matched('(a <= 1 OR a IS NULL) AND (b <= 1 OR b IS NULL)'),
      matched('NOT (a > 1 OR b > 1)'),
    ],
    [
      'conditions that are not untrue',
      both,
      matched('NOT ((a > 1) IS NOT TRUE)'),
      matched('a > 1'),
      matched('(a > 1) IS NOT TRUE'),
    ],
    [
      'conditions that are false',
      both,
      matched('(a > 1) IS FALSE'),
      matched('a <= 1'),
      matched('(a > 1) IS NOT TRUE'),
    ],
  ])
})
