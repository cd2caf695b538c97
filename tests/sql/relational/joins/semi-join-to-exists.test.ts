import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { rankedRows } from '../../rule-tables.js'
import { itKeepsRows, settingOf } from '../../rule-tests.js'

describe('the rule semi-join-to-exists on ranked rows', () => {
  itKeepsRows(rankedRows, [
    [
      ['duckdb'],
      'SELECT id FROM t SEMI JOIN u ON t.id = u.tid',
      'SELECT id FROM t WHERE id IN (SELECT tid FROM u)',
      'SELECT t.id FROM t JOIN u ON t.id = u.tid',
    ],
    [
      ['duckdb'],
      'SELECT id, b FROM t ANTI JOIN u ON t.id = u.tid AND u.y > 1',
      'SELECT id, b FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.tid = t.id AND u.y > 1)',
      'SELECT id, b FROM t WHERE id NOT IN (SELECT tid FROM u WHERE y > 1)',
    ],
    [
      ['duckdb'],
      'SELECT * FROM t ANTI JOIN u USING (a)',
      'SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a)',
      'SELECT * FROM t SEMI JOIN u USING (a)',
    ],
    [
      ['duckdb'],
      'SELECT t.id, v.y FROM t LEFT JOIN u AS v ON v.tid = t.id SEMI JOIN u ON u.a = t.a WHERE t.x > 1',
      `SELECT t.id, v.y FROM t LEFT JOIN u AS v ON v.tid = t.id
       WHERE t.x > 1 AND EXISTS (SELECT 1 FROM u WHERE u.a = t.a)`,
      `SELECT t.id, v.y FROM t LEFT JOIN u AS v ON v.tid = t.id
       WHERE t.x > 1 AND EXISTS (SELECT 1 FROM u WHERE u.a = v.a)`,
    ],
  ])
})

it('SEMI is an alias in a dialect that has no such join', async () => {
  const { parser, schema } = await settingOf(rankedRows)
  const [a, b] = [
    'SELECT t.id FROM t SEMI JOIN u ON t.id = u.tid',
    'SELECT id FROM t WHERE id IN (SELECT tid FROM u)',
  ]
  expect(compareQueries(parser, a, b, 'sqlite', { schema }).kind).toBe('different')
})
