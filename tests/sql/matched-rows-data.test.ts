import { beforeAll, describe, it } from 'vitest'
import { type Engine, type QuerySetting, querySetting } from './databases.js'
import { expectTwoWays, onEngines, type TwoWays } from './two-ways.js'

const ddl = `CREATE TABLE t (id INTEGER PRIMARY KEY, g INTEGER, x INTEGER, s TEXT);
  CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER, v INTEGER, k TEXT, w INTEGER);
  CREATE TABLE z (id INTEGER PRIMARY KEY, tid INTEGER, q INTEGER);`

/** Rows without a match, with several, and with NULLs in each column that may hold them; one table empty; all of them. */
const data: readonly string[] = [
  `INSERT INTO t VALUES (1, 1, 5, 'a'), (2, 1, NULL, 'b'), (3, 2, 7, NULL), (4, NULL, 7, 'a'), (5, 3, 1, 'c');
   INSERT INTO u VALUES (1, 1, 4, 'x', 1), (2, 1, 4, 'y', NULL), (3, 1, NULL, 'x', 2), (4, 2, 9, NULL, 3), (5, 4, 2, 'x', NULL),
     (6, NULL, 3, 'x', 1), (7, 3, NULL, 'y', 2), (8, 2, 1, 'y', 2), (9, 77, 6, 'x', 9);
   INSERT INTO z VALUES (1, 1, 3), (2, 1, 5), (3, 4, NULL), (4, NULL, 2);`,
  `INSERT INTO t VALUES (1, 1, 5, 'x'), (2, 2, 6, 'y');`,
  `INSERT INTO u VALUES (1, 1, 4, 'x', 1), (2, NULL, 5, 'x', 2);`,
  '',
  `INSERT INTO t VALUES (1, NULL, NULL, NULL), (2, NULL, NULL, NULL);
   INSERT INTO u VALUES (1, 1, NULL, NULL, NULL), (2, NULL, NULL, NULL, NULL);`,
]

let setting: QuerySetting
beforeAll(async () => {
  setting = await querySetting(ddl, data)
})

const both: readonly Engine[] = ['sqlite', 'duckdb']
const left = (shown: string, on = '', rest = 'GROUP BY t.g'): string =>
  `SELECT ${shown} FROM t LEFT JOIN u ON u.tid = t.id${on} ${rest}`
const all = (shown: string, join = 'LEFT JOIN', on = ''): string =>
  `SELECT ${shown} FROM t ${join} u ON u.tid = t.id${on}`

const joins: readonly TwoWays[] = [
  // What aggregates ask of each row that matches, asked of the match.
  [
    both,
    left('t.g, count(u.id), sum(u.v)', " AND u.k = 'x'"),
    left("t.g, count(u.id) FILTER (WHERE u.k = 'x'), sum(CASE WHEN u.k = 'x' THEN u.v END)"),
    left('t.g, count(u.id), sum(u.v)', '', "WHERE u.k = 'x' GROUP BY t.g"),
  ],
  [
    both,
    left('t.g, count(u.id)', " AND u.k = 'x'"),
    left("t.g, count(*) FILTER (WHERE u.k = 'x')"),
    left('t.g, count(*)', " AND u.k = 'x'"),
  ],
  [
    both,
    left('t.g, count(u.tid)', " AND u.k = 'x'"),
    left("t.g, sum(CASE WHEN u.k = 'x' THEN 1 ELSE 0 END)"),
    left("t.g, sum(CASE WHEN u.k = 'x' THEN 1 END)"),
  ],
  [
    both,
    left('t.g, count(u.id)', ' AND u.k IS NULL'),
    left('t.g, count(u.id) FILTER (WHERE u.k IS NULL)'),
    left('t.g, count(*) FILTER (WHERE u.k IS NULL)'),
  ],
  [
    both,
    left('t.g, sum(u.v), max(t.x), count(DISTINCT t.s)', " AND u.k = 'x' AND u.v > 2"),
    left("t.g, sum(CASE WHEN u.v > 2 AND u.k = 'x' THEN u.v END), max(t.x), count(DISTINCT t.s)"),
    left("t.g, sum(CASE WHEN u.v > 2 OR u.k = 'x' THEN u.v END), max(t.x), count(DISTINCT t.s)"),
  ],
  [
    both,
    left('t.g, avg(u.v), count(u.w)', " AND u.k = 'x'"),
    left("t.g, avg(u.v) FILTER (WHERE u.k = 'x'), count(u.w) FILTER (WHERE u.k = 'x')"),
    left("t.g, avg(u.v) FILTER (WHERE u.k = 'x'), count(u.w)"),
  ],
  [
    both,
    left('t.g, count(u.id)', " AND u.k = 'x'", 'GROUP BY t.g HAVING count(u.id) > 0'),
    left(
      "t.g, count(CASE WHEN u.k = 'x' THEN u.id END)",
      '',
      "GROUP BY t.g HAVING count(CASE WHEN u.k = 'x' THEN u.id END) > 0",
    ),
    left("t.g, count(CASE WHEN u.k = 'x' THEN u.id END)", '', 'GROUP BY t.g HAVING count(u.id) > 0'),
  ],
  [
    both,
    left('t.g, sum(u.v)', ' AND u.v > t.x'),
    left('t.g, sum(CASE WHEN u.v > t.x THEN u.v END)'),
    left('t.g, sum(CASE WHEN u.v > t.x THEN u.v ELSE 0 END)'),
  ],
  // How often a row occurs matters to a sum of its own.
  [
    both,
    left('t.g, sum(t.x), count(u.id)', " AND u.k = 'x'"),
    left('sum(t.x), count(u.tid), t.g', " AND 'x' = u.k"),
    left("t.g, sum(t.x), count(CASE WHEN u.k = 'x' THEN u.id END)"),
  ],
  [
    both,
    'SELECT t.g, sum(u.v), sum(z.q) FROM t LEFT JOIN u ON u.tid = t.id LEFT JOIN z ON z.tid = t.id GROUP BY t.g',
    'SELECT t.g, sum(u.v), sum(z.q) FROM t LEFT JOIN z ON t.id = z.tid LEFT JOIN u ON t.id = u.tid GROUP BY t.g',
    "SELECT t.g, sum(u.v), sum(z.q) FROM t LEFT JOIN u ON u.tid = t.id AND u.k = 'x' LEFT JOIN z ON z.tid = t.id GROUP BY t.g",
  ],
  [
    both,
    "SELECT t.g, sum(u.v), max(z.q) FROM t LEFT JOIN u ON u.tid = t.id AND u.k = 'x' LEFT JOIN z ON z.tid = t.id GROUP BY t.g",
    "SELECT t.g, sum(u.v) FILTER (WHERE u.k = 'x'), max(z.q) FROM t LEFT JOIN u ON u.tid = t.id LEFT JOIN z ON z.tid = t.id GROUP BY t.g",
    "SELECT t.g, sum(u.v) FILTER (WHERE u.k = 'y'), max(z.q) FROM t LEFT JOIN u ON u.tid = t.id LEFT JOIN z ON z.tid = t.id GROUP BY t.g",
  ],
  // One group of all rows, which those without a match add nothing to.
  [both, all('count(u.id), sum(u.v)'), all('count(u.id), sum(u.v)', 'JOIN'), all('count(*), sum(u.v)')],
  [both, all('max(u.v + t.x)'), all('max(u.v + t.x)', 'JOIN'), all('max(coalesce(u.v, 9) + t.x)')],
  [both, all('sum(coalesce(u.v, 1))'), all('sum(coalesce(u.v, 1))'), all('sum(coalesce(u.v, 1))', 'JOIN')],
  [
    both,
    all('coalesce(sum(u.v), 0), count(DISTINCT u.w)', 'LEFT JOIN', " AND u.k = 'x'"),
    all('coalesce(sum(u.v), 0), count(DISTINCT u.w)', 'JOIN', " AND u.k = 'x'"),
    all('coalesce(sum(u.v), 0), count(DISTINCT u.w)', 'JOIN'),
  ],
  [
    both,
    `${all('avg(u.v)')} HAVING count(u.v) > 1`,
    `${all('avg(u.v)', 'JOIN')} HAVING count(u.v) > 1`,
    `${all('avg(u.v)')} HAVING count(*) > 1`,
  ],
  // In groups a row without a match makes one.
  [
    both,
    left('t.g, sum(u.v)'),
    left('t.g, sum(u.v)'),
    'SELECT t.g, sum(u.v) FROM t JOIN u ON u.tid = t.id GROUP BY t.g',
  ],
  [both, left('t.g, count(u.id)'), left('t.g, count(u.tid)'), left('t.g, count(u.v)')],
]

const some = (test: string): string => `EXISTS (SELECT 1 FROM u WHERE u.tid = t.id AND ${test})`
const chosen = (test: string): string => `SELECT id FROM t WHERE ${test}`

const tests: readonly TwoWays[] = [
  [
    both,
    chosen(`${some("u.k = 'x'")} OR ${some('u.v > 3')}`),
    chosen(some("(u.k = 'x' OR u.v > 3)")),
    chosen(some("u.k = 'x' AND u.v > 3")),
  ],
  [
    both,
    chosen(`${some("u.k = 'x'")} OR x = 7 OR ${some("u.k = 'y'")}`),
    chosen(`x = 7 OR ${some("u.k IN ('x', 'y')")}`),
    chosen(`x = 7 OR ${some("u.k NOT IN ('x', 'y')")}`),
  ],
  [
    both,
    chosen(`NOT ${some("u.k = 'x'")} AND NOT ${some("u.k = 'y'")}`),
    chosen(`NOT ${some("u.k IN ('x', 'y')")}`),
    chosen(`NOT ${some("u.k = 'x'")} OR NOT ${some("u.k = 'y'")}`),
  ],
  [
    both,
    chosen(`${some("u.k = 'x'")} AND ${some("u.k = 'y'")}`),
    chosen(`${some("'y' = u.k")} AND ${some("u.k = 'x'")}`),
    chosen(some("u.k IN ('x', 'y')")),
  ],
  [
    both,
    chosen(`x IN (SELECT v FROM u WHERE k = 'x') OR x IN (SELECT v FROM u WHERE w = 2)`),
    chosen(`x IN (SELECT v FROM u WHERE k = 'x' OR w = 2)`),
    chosen(`x IN (SELECT v FROM u WHERE k = 'x' AND w = 2)`),
  ],
  [
    both,
    chosen(`x NOT IN (SELECT v FROM u WHERE k = 'x') AND x NOT IN (SELECT v FROM u WHERE w = 1)`),
    chosen(`NOT (x IN (SELECT v FROM u WHERE w = 1 OR k = 'x'))`),
    chosen(`x NOT IN (SELECT v FROM u WHERE w = 1 AND k = 'x')`),
  ],
  [
    both,
    'SELECT id, x IN (SELECT v FROM u WHERE k = s) OR x IN (SELECT v FROM u WHERE w = 2) AS p FROM t',
    'SELECT id, x IN (SELECT v FROM u WHERE k = s OR w = 2) AS p FROM t',
    'SELECT id, x IN (SELECT v FROM u WHERE k = s) AND x IN (SELECT v FROM u WHERE w = 2) AS p FROM t',
  ],
  [
    both,
    chosen(`${some("u.k = 'x'")} OR EXISTS (SELECT 1 FROM u WHERE u.tid = t.id)`),
    chosen('id IN (SELECT tid FROM u)'),
    chosen(some("u.k = 'x'")),
  ],
  [
    both,
    chosen(`x IN (SELECT v FROM u WHERE k = 'x') OR x IN (SELECT w FROM u WHERE k = 'y')`),
    chosen(`x IN (SELECT w FROM u WHERE k = 'y') OR x IN (SELECT v FROM u WHERE 'x' = k)`),
    chosen(`x IN (SELECT v FROM u WHERE k IN ('x', 'y'))`),
  ],
]

const averages: readonly TwoWays[] = [
  [
    both,
    'SELECT avg(CASE WHEN x > 4 THEN 1.0 ELSE 0.0 END) FROM t',
    'SELECT sum(CASE WHEN x > 4 THEN 1 ELSE 0 END) * 1.0 / count(*) FROM t',
    'SELECT sum(CASE WHEN x > 4 THEN 1 ELSE 0 END) * 1.0 / count(x) FROM t',
  ],
  [
    both,
    'SELECT g, avg(CASE WHEN x > 4 THEN 1.0 ELSE 0 END) FROM t GROUP BY g',
    'SELECT g, avg(CASE WHEN x > 4 THEN 1 ELSE 0 END) FROM t GROUP BY g',
    'SELECT g, avg(CASE WHEN x > 4 THEN 1 END) FROM t GROUP BY g',
  ],
  [
    both,
    'SELECT avg(CASE WHEN x > 4 THEN 2.50 WHEN x > 1 THEN 3.0 ELSE 4.0 END) FROM t',
    'SELECT avg(CASE WHEN x > 4 THEN 2.50 WHEN x > 1 THEN 3 ELSE 4 END) FROM t',
    'SELECT avg(CASE WHEN x > 4 THEN 25 WHEN x > 1 THEN 3 ELSE 4 END) FROM t',
  ],
]

describe('averages of numerals', () => {
  it.each(onEngines(averages))('on %s: %s', (engine, one, same, other) =>
    expectTwoWays(setting, engine, one, same, other),
  )
})

describe('aggregates of what a left join finds', () => {
  it.each(onEngines(joins))('on %s: %s', (engine, one, same, other) =>
    expectTwoWays(setting, engine, one, same, other),
  )
})

describe('tests of the rows of one table', () => {
  it.each(onEngines(tests))('on %s: %s', (engine, one, same, other) =>
    expectTwoWays(setting, engine, one, same, other),
  )
})
