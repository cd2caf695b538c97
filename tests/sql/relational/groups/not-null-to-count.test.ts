import { describe } from 'vitest'
import { groupsWithTies } from '../../rule-tables.js'
import { both, describeRules } from '../../rule-tests.js'

describe('the rule not-null-to-count on groups with ties', () => {
  describeRules(groupsWithTies, [
    [
      'counting what is given of all rows',
      both,
      'SELECT count(*), max(a) FROM t WHERE a IS NOT NULL',
      'SELECT count(a), max(a) FROM t',
      'SELECT count(*), max(a) FROM t',
    ],
  ])
})
