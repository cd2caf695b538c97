import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../src/sql/compare.js'
import { type QuerySetting, querySetting } from './databases.js'
import { expectTwoWays, onEngines, type TwoWays } from './two-ways.js'

const ddl = `CREATE TABLE t (id INTEGER PRIMARY KEY, g INTEGER NOT NULL, x INTEGER NOT NULL, a INTEGER, b INTEGER);
  CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER, a INTEGER, y INTEGER);`

/** Ties, duplicates and NULLs; one of the tables empty; both empty; nothing but NULLs where they may be. */
const data: readonly string[] = [
  `INSERT INTO t VALUES (1, 1, 5, 1, 1), (2, 1, 5, 1, NULL), (3, 1, 3, NULL, 2), (4, 2, 4, 2, NULL), (5, 2, 1, 9, 2),
     (6, 3, 3, NULL, NULL), (7, 3, 3, 2, 9);
   INSERT INTO u VALUES (1, 1, 1, 4), (2, 1, 1, NULL), (3, NULL, NULL, 2), (4, 4, 2, 0), (5, 4, NULL, 7);`,
  'INSERT INTO t VALUES (1, 1, 2, 1, 1), (2, 1, 2, NULL, 3), (3, 4, 2, 2, NULL);',
  'INSERT INTO u VALUES (1, 1, 1, 1), (2, NULL, NULL, 3);',
  '',
  'INSERT INTO t VALUES (1, 1, 1, NULL, NULL), (2, 1, 2, NULL, NULL); INSERT INTO u VALUES (1, NULL, NULL, NULL);',
]

let setting: QuerySetting
beforeAll(async () => {
  setting = await querySetting(ddl, data)
})

const ranked = (call: string, from = 't'): string =>
  `SELECT id, g, x FROM (SELECT id, g, x, ${call} AS r FROM ${from}) AS q WHERE r = 1`
const best = (test: string, of = 'max(o.x)'): string =>
  `SELECT id, g, x FROM t WHERE x = (SELECT ${of} FROM t AS o ${test})`
const counts = 'SELECT g, a, count(*) AS n FROM t GROUP BY g, a'

const pairs: readonly TwoWays[] = [
  [
    ['sqlite', 'duckdb'],
    ranked('rank() OVER (PARTITION BY g ORDER BY x DESC)'),
    best('WHERE o.g = t.g'),
    ranked('row_number() OVER (PARTITION BY g ORDER BY x DESC)'),
  ],
  [
    ['sqlite', 'duckdb'],
    ranked('dense_rank() OVER (PARTITION BY g ORDER BY x)'),
    'SELECT t.id, t.g, t.x FROM t JOIN (SELECT g, min(x) AS m FROM t GROUP BY g) AS q ON q.g = t.g AND q.m = t.x',
    best('WHERE o.g = t.g'),
  ],
  [
    ['sqlite', 'duckdb'],
    ranked('rank() OVER (ORDER BY x DESC)'),
    best(''),
    ranked('rank() OVER (PARTITION BY g ORDER BY x DESC)'),
  ],
  [
    ['sqlite', 'duckdb'],
    ranked('rank() OVER (PARTITION BY g ORDER BY x DESC)', 't WHERE b IS NOT NULL'),
    `${best('WHERE o.g = t.g AND o.b IS NOT NULL')} AND b IS NOT NULL`,
    `${best('WHERE o.g = t.g')} AND b IS NOT NULL`,
  ],
  [
    ['sqlite', 'duckdb'],
    ranked('row_number() OVER (PARTITION BY g ORDER BY id DESC)'),
    'SELECT id, g, x FROM t WHERE id = (SELECT max(o.id) FROM t AS o WHERE o.g = t.g)',
    ranked('row_number() OVER (PARTITION BY g ORDER BY x DESC)'),
  ],
  [
    ['sqlite', 'duckdb'],
    `SELECT g, a, n FROM (SELECT g, a, count(*) AS n, rank() OVER (PARTITION BY g ORDER BY count(*) DESC) AS r
       FROM t GROUP BY g, a) AS q WHERE r = 1`,
    `WITH c AS (${counts}) SELECT c.g, c.a, c.n FROM c JOIN (SELECT g, max(n) AS m FROM c GROUP BY g) AS q
       ON q.g = c.g AND q.m = c.n`,
    `WITH c AS (${counts}) SELECT g, a, n FROM c WHERE n = (SELECT max(n) FROM c)`,
  ],
  [
    ['duckdb'],
    'SELECT * FROM t QUALIFY rank() OVER (PARTITION BY g ORDER BY x DESC) = 1',
    'SELECT * FROM t WHERE x = (SELECT max(o.x) FROM t AS o WHERE o.g = t.g)',
    'SELECT * FROM t QUALIFY rank() OVER (PARTITION BY g ORDER BY x DESC) = 2',
  ],
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
  [
    ['sqlite', 'duckdb'],
    'SELECT id, b FROM t WHERE a = 1 UNION ALL SELECT id, b FROM t WHERE a = 2',
    'SELECT id, b FROM t WHERE a IN (1, 2)',
    'SELECT id, b FROM t WHERE a IN (1, 2) UNION ALL SELECT id, b FROM t WHERE a = 2',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT g, count(*) FROM (SELECT g FROM t WHERE a > 1 UNION ALL SELECT g FROM t WHERE a <= 1) AS q GROUP BY g',
    'SELECT g, count(*) FROM t WHERE a IS NOT NULL GROUP BY g',
    'SELECT g, count(*) FROM t GROUP BY g',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT id FROM t WHERE a IS NULL UNION ALL SELECT id FROM t WHERE a <= 1',
    'SELECT id FROM t WHERE a IS NULL OR a <= 1',
    'SELECT id FROM t WHERE a IS NULL UNION ALL SELECT id FROM t WHERE b <= 2',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT id FROM t WHERE a = 1 UNION ALL SELECT id FROM t WHERE b = 2 AND a = 9',
    'SELECT id FROM t WHERE a = 1 OR (b = 2 AND a = 9)',
    'SELECT id FROM t WHERE a = 1 UNION ALL SELECT id FROM t WHERE b = 1',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT t.g, count(u.id) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id, t.g',
    'SELECT t.g, (SELECT count(*) FROM u WHERE u.tid = t.id) FROM t',
    'SELECT t.g, count(*) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id, t.g',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT t.id, count(u.y), sum(u.y) FROM t LEFT JOIN u ON u.tid = t.id AND u.y > 1 GROUP BY t.id',
    `SELECT t.id, (SELECT count(u.y) FROM u WHERE u.tid = t.id AND u.y > 1),
       (SELECT sum(u.y) FROM u WHERE u.tid = t.id AND u.y > 1) FROM t`,
    'SELECT t.id, count(u.y), sum(u.y) FROM t LEFT JOIN u ON u.tid = t.id WHERE u.y > 1 GROUP BY t.id',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT t.id, coalesce(q.n, 0) FROM t LEFT JOIN (SELECT tid, count(*) AS n FROM u GROUP BY tid) AS q ON q.tid = t.id',
    'SELECT t.id, count(u.id) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id',
    'SELECT t.id, q.n FROM t LEFT JOIN (SELECT tid, count(*) AS n FROM u GROUP BY tid) AS q ON q.tid = t.id',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT t.id, q.m FROM t LEFT JOIN (SELECT tid, max(y) AS m FROM u GROUP BY tid) AS q ON q.tid = t.id',
    'SELECT t.id, (SELECT max(y) FROM u WHERE u.tid = t.id) FROM t',
    'SELECT t.id, q.m FROM t JOIN (SELECT tid, max(y) AS m FROM u GROUP BY tid) AS q ON q.tid = t.id',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT t.id FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id HAVING count(u.id) < 2',
    'SELECT t.id FROM t WHERE (SELECT count(*) FROM u WHERE u.tid = t.id) < 2',
    'SELECT t.id FROM t JOIN u ON u.tid = t.id GROUP BY t.id HAVING count(u.id) < 2',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT t.id, (SELECT sum(u.y) FROM u WHERE u.tid = t.id) FROM t',
    'SELECT t.id, sum(u.y) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id',
    'SELECT t.id, sum(CASE WHEN u.y IS NULL THEN 0 ELSE u.y END) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id',
  ],
  [
    ['sqlite', 'duckdb'],
    'SELECT t.a, (SELECT count(*) FROM u WHERE u.a = t.a) FROM t',
    'SELECT t.a, coalesce(q.n, 0) FROM t LEFT JOIN (SELECT a, count(*) AS n FROM u GROUP BY a) AS q ON q.a = t.a',
    'SELECT t.a, count(u.id) FROM t LEFT JOIN u ON u.a = t.a GROUP BY t.a',
  ],
]

describe('two ways to ask for the same rows', () => {
  it.each(onEngines(pairs))('%s: %s', (engine, one, same, other) =>
    expectTwoWays(setting, engine, one, same, other),
  )

  it.each([
    [
      ranked('rank() OVER (PARTITION BY g ORDER BY x DESC)'),
      best('WHERE o.g = t.g'),
      ['t.g, by which rows are ranked, is never NULL', 't.x, by which rows are ranked, is never NULL'],
    ],
    [
      ranked('row_number() OVER (ORDER BY x DESC)'),
      best(''),
      ['no two rows share the largest t.x', 't.x, which orders the rows, is never NULL'],
    ],
  ])('%s is %s only where that holds', (one, same, assumptions) => {
    expect(compareQueries(setting.parser, one, same, 'duckdb')).toMatchObject({
      kind: 'equal_if',
      assumptions,
    })
  })

  it('what a left join does not find is no assumption about its table', () => {
    const count = (what: string): string =>
      `SELECT t.id, count(${what}) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id`
    expect(compareQueries(setting.parser, count('u.id'), count('*'), 'duckdb').kind).toBe('different')
    expect(compareQueries(setting.parser, count('t.g'), count('*'), 'duckdb').kind).toBe('equal_if')
  })

  it('SEMI is an alias where no such join is known', () => {
    const [a, b] = [
      'SELECT t.id FROM t SEMI JOIN u ON t.id = u.tid',
      'SELECT id FROM t WHERE id IN (SELECT tid FROM u)',
    ]
    expect(compareQueries(setting.parser, a, b, 'sqlite', { schema: setting.schema }).kind).toBe('different')
  })
})
