import { describe } from 'vitest'
import { groupsWithTies } from '../../rule-tables.js'
import { both, describeRules } from '../../rule-tests.js'

describe('the rule windowed-derived on groups with ties', () => {
  describeRules(groupsWithTies, [
    [
      'a condition on what is not a key of all partitions',
      both,
      'SELECT q.id, q.n FROM (SELECT id, g, count(*) OVER (PARTITION BY g, a) AS n FROM t) AS q WHERE q.g = 1',
      'SELECT id, count(*) OVER (PARTITION BY a, g) FROM t WHERE g = 1',
      'SELECT id, count(*) OVER (PARTITION BY a) FROM t WHERE g <> 2',
    ],
  ])
})
