import { describe } from 'vitest'
import { groupsWithTies } from '../../rule-tables.js'
import { both, describeRules } from '../../rule-tests.js'

describe('the rule exists-simplification on groups with ties', () => {
  const matched = (test: string): string => `SELECT id FROM t WHERE ${test}`

  describeRules(groupsWithTies, [
    [
      'EXISTS with a LIMIT',
      both,
      matched('EXISTS (SELECT x FROM u WHERE u.tid = t.id ORDER BY x LIMIT 1)'),
      matched('EXISTS (SELECT 1 FROM u WHERE u.tid = t.id)'),
      matched('EXISTS (SELECT x FROM u WHERE u.tid = t.id LIMIT 1 OFFSET 1)'),
    ],
    [
      'EXISTS of an aggregate',
      both,
      matched('EXISTS (SELECT max(x) FROM u WHERE u.tid = t.id)'),
      'SELECT id FROM t',
      matched('EXISTS (SELECT max(x) FROM u WHERE u.tid = t.id HAVING count(*) > 0)'),
    ],
    [
      'EXISTS of a UNION',
      both,
      matched('EXISTS (SELECT 1 FROM u WHERE u.tid = t.id UNION ALL SELECT 1 FROM u WHERE u.y = t.id)'),
      matched('EXISTS (SELECT 1 FROM u WHERE u.tid = t.id) OR EXISTS (SELECT 1 FROM u WHERE u.y = t.id)'),
      matched('EXISTS (SELECT 1 FROM u WHERE u.tid = t.id) AND EXISTS (SELECT 1 FROM u WHERE u.y = t.id)'),
    ],
  ])
})
