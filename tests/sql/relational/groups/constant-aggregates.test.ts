import { describe } from 'vitest'
import { groupsWithTies } from '../../rule-tables.js'
import { both, describeRules } from '../../rule-tests.js'

describe('the rule constant-aggregates on groups with ties', () => {
  describeRules(groupsWithTies, [
    [
      'the greatest of what a group has one of',
      both,
      'SELECT t.id, max(t.s), count(*) FROM t JOIN u ON u.tid = t.id GROUP BY t.id',
      'SELECT t.id, t.s, count(*) FROM t JOIN u ON u.tid = t.id GROUP BY t.id, t.s',
      'SELECT t.id, max(u.x), count(*) FROM t JOIN u ON u.tid = t.id GROUP BY t.id, u.x',
    ],
  ])
})
