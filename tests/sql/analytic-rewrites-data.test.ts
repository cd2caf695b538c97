import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../src/sql/compare.js'
import { type Engine, type QuerySetting, querySetting } from './databases.js'
import { expectTwoWays, onEngines, type TwoWays } from './two-ways.js'

const ddl = `CREATE TABLE c (id INTEGER PRIMARY KEY, name TEXT NOT NULL, g INTEGER);
  CREATE TABLE t (id INTEGER PRIMARY KEY, cid INTEGER NOT NULL, x INTEGER NOT NULL, a INTEGER, s TEXT NOT NULL);
  CREATE TABLE days (d DATE NOT NULL);
  CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER NOT NULL, q INTEGER NOT NULL, p DOUBLE);`

/** Ties, NULLs, customers without orders and orders without customers; one of the tables empty; all of them. */
const data: readonly string[] = [
  `INSERT INTO c VALUES (1, 'ann', 1), (2, 'bo', 1), (3, 'cy', NULL), (4, 'di', 2);
   INSERT INTO t VALUES (1, 1, 5, 1, 'paid'), (2, 1, 7, NULL, 'open'), (3, 1, 7, 3, 'paid'), (4, 2, 3, NULL, 'lost'),
     (5, 2, 9, 2, 'paid'), (6, 9, 6, 8, 'open'), (7, 3, 2, NULL, 'open'), (8, 3, 8, 4, 'lost');
   INSERT INTO days VALUES ('2025-10-01'), ('2025-11-30'), ('2025-12-31'), ('2026-01-01'), ('2024-11-05');
   INSERT INTO u VALUES (1, 1, 2, 1.5), (2, 1, 7, NULL), (3, 2, 3, 2.5), (4, 5, 9, 4.0), (5, 77, 1, 1.0), (6, 8, 6, NULL);`,
  `INSERT INTO c VALUES (1, 'ann', NULL); INSERT INTO t VALUES (1, 1, 3, NULL, 'paid'), (2, 1, 3, NULL, 'paid');`,
  `INSERT INTO t VALUES (1, 4, 6, 5, 'open'), (2, 5, 5, 6, 'lost'); INSERT INTO u VALUES (1, 1, 6, 3.0), (2, 1, 5, 2.0);`,
  '',
]

let setting: QuerySetting
beforeAll(async () => {
  setting = await querySetting(ddl, data)
})

const both: readonly Engine[] = ['sqlite', 'duckdb']
const grouped = (value: string): string => `SELECT cid, ${value} AS n FROM t GROUP BY cid`

const numbered = (test: string): string =>
  `SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY cid ORDER BY a DESC, id) AS r FROM t) AS q WHERE ${test}`
const ranked = (test: string): string =>
  `SELECT id FROM (SELECT id, rank() OVER (ORDER BY cid, x DESC) AS r FROM t) AS q WHERE ${test}`
const beside = (value: string): string => `SELECT id, ${value} AS n FROM c`

const pairs: readonly TwoWays[] = [
  // The first place, asked for as a bound.
  [both, numbered('r = 1'), numbered('r <= 1'), numbered('r <= 2')],
  [both, numbered('r = 1'), numbered('r < 2'), numbered('r < 3')],
  [both, ranked('r = 1'), ranked('2 > r'), ranked('r >= 1')],
  // A count is never NULL.
  [
    both,
    beside('(SELECT count(*) FROM t WHERE t.cid = c.id)'),
    beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id), 0)'),
    beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid), -1)'),
  ],
  [
    both,
    beside('(SELECT count(t.a) FROM t WHERE t.cid = c.id)'),
    beside('coalesce((SELECT count(t.a) FROM t WHERE t.cid = c.id), 0)'),
    beside('(SELECT count(*) FROM t WHERE t.cid = c.id)'),
  ],
  [
    both,
    beside('(SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid)'),
    beside('(SELECT count(*) FROM t WHERE c.id = t.cid GROUP BY cid)'),
    beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid), 0)'),
  ],
  // Equal, NULLs included, where one of the two is never NULL.
  [
    both,
    'SELECT c.id, t.id FROM c JOIN t ON c.id = t.a',
    'SELECT c.id, t.id FROM c JOIN t ON c.id IS NOT DISTINCT FROM t.a',
    'SELECT c.id, t.id FROM c JOIN t ON c.g IS NOT DISTINCT FROM t.a',
  ],
  [
    both,
    'SELECT c.id, t.id FROM c LEFT JOIN t ON c.id = t.a',
    'SELECT c.id, t.id FROM c LEFT JOIN t ON t.a IS NOT DISTINCT FROM c.id',
    'SELECT c.id, t.id FROM c LEFT JOIN t ON t.a IS NOT DISTINCT FROM c.g',
  ],
  [
    both,
    'SELECT a.id, b.id FROM c AS a, t AS b WHERE a.g = b.a',
    'SELECT a.id, b.id FROM c AS a, t AS b WHERE a.g IS NOT DISTINCT FROM b.a AND b.a IS NOT NULL',
    'SELECT a.id, b.id FROM c AS a, t AS b WHERE a.g IS NOT DISTINCT FROM b.a',
  ],
  [
    ['duckdb'],
    'SELECT DISTINCT ON (cid) cid, x FROM t ORDER BY cid, x DESC, id',
    'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x DESC, id) AS r FROM t) AS q WHERE r = 1 ORDER BY cid',
    'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x, id) AS r FROM t) AS q WHERE r = 1 ORDER BY cid',
  ],
  [
    ['duckdb'],
    'SELECT DISTINCT ON (a) a, id FROM t ORDER BY a DESC, id',
    'SELECT a, id FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY id) = 1 ORDER BY a DESC',
    'SELECT a, id FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY id DESC) = 1 ORDER BY a DESC',
  ],
  [
    both,
    'SELECT id, lag(x, 1, 0) OVER (PARTITION BY cid ORDER BY id) AS n FROM t',
    'SELECT id, coalesce(lag(x) OVER (PARTITION BY cid ORDER BY id), 0) AS n FROM t',
    'SELECT id, coalesce(lag(x) OVER (PARTITION BY cid ORDER BY id), 1) AS n FROM t',
  ],
  [
    both,
    'SELECT cid, lead(sum(x), 2, 0) OVER (ORDER BY cid) AS n FROM t GROUP BY cid',
    'SELECT cid, coalesce(lead(sum(x), 2) OVER (ORDER BY cid), 0) AS n FROM t GROUP BY cid',
    'SELECT cid, coalesce(lead(sum(x)) OVER (ORDER BY cid), 0) AS n FROM t GROUP BY cid',
  ],
  [
    ['duckdb'],
    "SELECT date_diff('day', d, DATE '2026-01-31') AS n FROM days",
    "SELECT DATE '2026-01-31' - d AS n FROM days",
    "SELECT d - DATE '2026-01-31' AS n FROM days",
  ],
  [
    both,
    "SELECT id FROM t WHERE s IN ('paid', 'open') AND s <> 'open'",
    "SELECT id FROM t WHERE s = 'paid'",
    "SELECT id FROM t WHERE s IN ('paid', 'open') AND s <> 'lost'",
  ],
  [
    both,
    "SELECT id FROM t WHERE s IN ('paid', 'open') AND s IN ('open', 'lost')",
    "SELECT id FROM t WHERE s = 'open'",
    "SELECT id FROM t WHERE s IN ('paid', 'open') OR s IN ('open', 'lost')",
  ],
  [
    ['duckdb'],
    'SELECT id FROM t WHERE a IN (1, 2, 3) AND a > 1 AND NOT a = 3',
    'SELECT id FROM t WHERE a = 2',
    'SELECT id FROM t WHERE a IN (1, 2, 3) AND a > 1',
  ],
  [
    ['duckdb'],
    'SELECT id FROM t WHERE a > 2',
    'SELECT id FROM t WHERE a >= 3',
    'SELECT id FROM t WHERE a >= 2',
  ],
  [
    ['duckdb'],
    'SELECT id FROM u WHERE p > 1.5',
    'SELECT id FROM u WHERE NOT p <= 1.5',
    'SELECT id FROM u WHERE p >= 3',
  ],
  [
    ['duckdb'],
    'SELECT id FROM t WHERE a > 2 OR a <= 2',
    'SELECT id FROM t WHERE a IS NOT NULL',
    'SELECT id FROM t WHERE a > 3 OR a <= 2',
  ],
  [
    both,
    'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x DESC, id) AS r FROM t) AS q WHERE r <= 2',
    'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x DESC, id) AS r FROM t) AS q WHERE r < 3',
    'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x DESC, id) AS r FROM t) AS q WHERE r < 2',
  ],
  [
    ['duckdb'],
    "SELECT id, CASE WHEN x < 3 THEN 'low' WHEN x BETWEEN 3 AND 7 THEN 'mid' ELSE 'high' END FROM t",
    "SELECT id, CASE WHEN x > 7 THEN 'high' WHEN x < 3 THEN 'low' ELSE 'mid' END FROM t",
    "SELECT id, CASE WHEN x < 3 THEN 'low' WHEN x < 7 THEN 'mid' ELSE 'high' END FROM t",
  ],
  [
    ['duckdb'],
    "SELECT id, CASE WHEN a < 3 THEN 'low' WHEN a >= 3 AND a <= 4 THEN 'mid' ELSE 'high' END FROM t",
    "SELECT id, CASE WHEN a <= 2 THEN 'low' WHEN a <= 4 THEN 'mid' ELSE 'high' END FROM t",
    "SELECT id, CASE WHEN a > 4 THEN 'high' WHEN a >= 3 THEN 'mid' ELSE 'low' END FROM t",
  ],
  [
    ['duckdb'],
    "SELECT id, CASE WHEN x >= 6 THEN 'big' WHEN x < 6 THEN 'small' END FROM t",
    "SELECT id, CASE WHEN x >= 6 THEN 'big' ELSE 'small' END FROM t",
    "SELECT id, CASE WHEN x > 6 THEN 'big' ELSE 'small' END FROM t",
  ],
  [
    ['duckdb'],
    "SELECT id, CASE WHEN a >= 3 THEN 'big' WHEN a < 3 THEN 'small' END FROM t",
    "SELECT id, CASE WHEN a < 3 THEN 'small' WHEN a > 2 THEN 'big' END FROM t",
    "SELECT id, CASE WHEN a >= 3 THEN 'big' ELSE 'small' END FROM t",
  ],
  [
    both,
    `WITH d AS (${grouped('sum(x)')}) SELECT cid, n, n - lag(n) OVER (ORDER BY cid) FROM d`,
    'SELECT cid, sum(x), sum(x) - lag(sum(x)) OVER (ORDER BY cid) FROM t GROUP BY cid',
    'SELECT cid, sum(x), sum(x) - lead(sum(x)) OVER (ORDER BY cid) FROM t GROUP BY cid',
  ],
  [
    both,
    `WITH d AS (${grouped('sum(x)')}) SELECT cid, rank() OVER (ORDER BY n DESC) FROM d WHERE n > 8`,
    'SELECT cid, rank() OVER (ORDER BY sum(x) DESC) FROM t GROUP BY cid HAVING sum(x) > 8',
    'SELECT cid, rank() OVER (ORDER BY sum(x) DESC) FROM t WHERE x > 8 GROUP BY cid',
  ],
  [
    both,
    `SELECT cid, n * 1.0 / sum(n) OVER () FROM (${grouped('count(*)')}) AS d`,
    'SELECT cid, count(*) * 1.0 / (SELECT count(*) FROM t) FROM t GROUP BY cid',
    `SELECT cid, n * 1.0 / (SELECT count(*) FROM c) FROM (${grouped('count(*)')}) AS d`,
  ],
  [
    both,
    'SELECT id, (SELECT c.name FROM c WHERE c.id = t.cid) FROM t',
    'SELECT t.id, c.name FROM t LEFT JOIN c ON c.id = t.cid',
    'SELECT t.id, c.name FROM t JOIN c ON c.id = t.cid',
  ],
  [
    both,
    'SELECT id FROM t WHERE (SELECT g FROM c WHERE c.id = t.cid) = 1',
    'SELECT t.id FROM t JOIN c ON c.id = t.cid WHERE c.g = 1',
    'SELECT t.id FROM t JOIN c ON c.g = t.cid WHERE c.id = 1',
  ],
  [
    both,
    'SELECT cid, (SELECT name FROM c WHERE c.id = t.cid), count(*) FROM t GROUP BY cid',
    'SELECT t.cid, c.name, count(*) FROM t LEFT JOIN c ON c.id = t.cid GROUP BY t.cid, c.name',
    'SELECT t.cid, c.name, count(c.id) FROM t LEFT JOIN c ON c.id = t.cid GROUP BY t.cid, c.name',
  ],
  [
    both,
    'SELECT sum(q * (SELECT x FROM t WHERE t.id = u.tid)) FROM u',
    'SELECT sum(u.q * t.x) FROM u LEFT JOIN t ON t.id = u.tid',
    'SELECT sum(u.q * t.x) FROM t LEFT JOIN u ON t.cid = u.tid',
  ],
  [
    both,
    'SELECT c.g, sum(d.n) FROM c JOIN (SELECT cid, sum(x) AS n FROM t GROUP BY cid) AS d ON d.cid = c.id GROUP BY c.g',
    'SELECT c.g, sum(t.x) FROM c JOIN t ON t.cid = c.id GROUP BY c.g',
    'SELECT c.g, max(d.n) FROM c JOIN (SELECT cid, sum(x) AS n FROM t GROUP BY cid) AS d ON d.cid = c.id GROUP BY c.g',
  ],
  [
    both,
    `SELECT c.g, sum(d.n), max(d.m) FROM c JOIN (SELECT cid, count(*) AS n, max(x) AS m FROM t WHERE a > 0 GROUP BY cid) AS d
       ON d.cid = c.id GROUP BY c.g`,
    'SELECT c.g, count(*), max(t.x) FROM c JOIN t ON t.cid = c.id WHERE t.a > 0 GROUP BY c.g',
    `SELECT c.g, count(*), max(d.m) FROM c JOIN (SELECT cid, count(*) AS n, max(x) AS m FROM t WHERE a > 0 GROUP BY cid) AS d
       ON d.cid = c.id GROUP BY c.g`,
  ],
  [
    both,
    `SELECT d.cid, d.n, e.m FROM (${grouped('count(*)')}) AS d JOIN (SELECT cid, max(x) AS m FROM t GROUP BY cid) AS e ON e.cid = d.cid`,
    'SELECT cid, count(*), max(x) FROM t GROUP BY cid',
    `SELECT d.cid, d.n, e.m FROM (${grouped('count(*)')}) AS d JOIN (SELECT cid, max(x) AS m FROM t GROUP BY cid) AS e ON e.cid > d.cid`,
  ],
  [
    both,
    `SELECT d.a, d.n, e.m FROM (SELECT a, count(*) AS n FROM t GROUP BY a) AS d JOIN (SELECT a, max(x) AS m FROM t GROUP BY a) AS e
       ON e.a = d.a`,
    'SELECT a, count(*), max(x) FROM t WHERE a IS NOT NULL GROUP BY a',
    'SELECT a, count(*), max(x) FROM t GROUP BY a',
  ],
  [
    both,
    'SELECT id, x - avg(x) OVER (PARTITION BY cid) FROM t',
    'SELECT t.id, t.x - d.n FROM t JOIN (SELECT cid, avg(x) AS n FROM t GROUP BY cid) AS d ON d.cid = t.cid',
    'SELECT id, x - avg(x) OVER (PARTITION BY s) FROM t',
  ],
  [
    both,
    'SELECT id, x - avg(x) OVER (PARTITION BY cid) FROM t',
    'SELECT id, x - (SELECT avg(o.x) FROM t AS o WHERE o.cid = t.cid) FROM t',
    "SELECT id, x - (SELECT avg(o.x) FROM t AS o WHERE o.cid = t.cid AND o.s = 'paid') FROM t",
  ],
  [
    both,
    'SELECT id FROM (SELECT id, x, avg(x) OVER (PARTITION BY cid) AS m FROM t) AS q WHERE x > m',
    'SELECT id FROM t WHERE x > (SELECT avg(o.x) FROM t AS o WHERE o.cid = t.cid)',
    'SELECT id FROM t WHERE x > (SELECT avg(o.x) FROM t AS o)',
  ],
  [
    both,
    'SELECT id FROM (SELECT id, a, x, max(x) OVER (PARTITION BY a) AS m FROM t) AS q WHERE x = m AND a IS NOT NULL',
    'SELECT id FROM t WHERE x = (SELECT max(o.x) FROM t AS o WHERE o.a = t.a)',
    'SELECT id FROM (SELECT id, a, x, max(x) OVER (PARTITION BY a) AS m FROM t) AS q WHERE x = m',
  ],
  [
    both,
    'SELECT id, count(*) OVER (PARTITION BY cid), sum(x) OVER (PARTITION BY cid) FROM t',
    'SELECT t.id, d.n, d.m FROM t JOIN (SELECT cid, count(*) AS n, sum(x) AS m FROM t GROUP BY cid) AS d ON d.cid = t.cid',
    'SELECT id, count(*) OVER (PARTITION BY cid), sum(x) OVER (PARTITION BY cid ORDER BY id) FROM t',
  ],
  [
    both,
    'SELECT cid, coalesce(sum(a), 0) FROM t GROUP BY cid',
    'SELECT cid, sum(coalesce(a, 0)) FROM t GROUP BY cid',
    'SELECT cid, sum(a) FROM t GROUP BY cid',
  ],
  [
    both,
    "SELECT cid, sum(CASE WHEN s = 'paid' THEN x ELSE 0 END) FROM t GROUP BY cid",
    "SELECT cid, coalesce(sum(CASE WHEN s = 'paid' THEN x END), 0) FROM t GROUP BY cid",
    "SELECT cid, sum(CASE WHEN s = 'paid' THEN x END) FROM t GROUP BY cid",
  ],
  [
    both,
    "SELECT sum(CASE WHEN s = 'paid' THEN x ELSE 0 END) FROM t",
    "SELECT sum(CASE s WHEN 'paid' THEN x ELSE 0 END) FROM t",
    "SELECT coalesce(sum(CASE WHEN s = 'paid' THEN x END), 0) FROM t",
  ],
  [
    both,
    "SELECT name FROM c WHERE id IN (SELECT cid FROM t WHERE s = 'paid' INTERSECT SELECT cid FROM t WHERE s = 'open')",
    `SELECT name FROM c WHERE EXISTS (SELECT 1 FROM t WHERE t.cid = c.id AND t.s = 'paid')
       AND EXISTS (SELECT 1 FROM t WHERE t.cid = c.id AND t.s = 'open')`,
    "SELECT name FROM c WHERE id IN (SELECT cid FROM t WHERE s = 'paid' UNION SELECT cid FROM t WHERE s = 'open')",
  ],
  [
    both,
    "SELECT name FROM c WHERE id IN (SELECT cid FROM t WHERE s = 'open' EXCEPT SELECT cid FROM t WHERE s = 'paid')",
    `SELECT name FROM c WHERE EXISTS (SELECT 1 FROM t WHERE t.cid = c.id AND t.s = 'open')
       AND NOT EXISTS (SELECT 1 FROM t WHERE t.cid = c.id AND t.s = 'paid')`,
    "SELECT name FROM c WHERE id NOT IN (SELECT cid FROM t WHERE s = 'paid')",
  ],
  [
    both,
    "SELECT id FROM t EXCEPT SELECT id FROM t WHERE s = 'paid'",
    "SELECT id FROM t WHERE s <> 'paid'",
    "SELECT id FROM t WHERE s <> 'open'",
  ],
  [
    both,
    'SELECT id FROM t EXCEPT SELECT id FROM t WHERE a > 2',
    'SELECT id FROM t WHERE a <= 2 OR a IS NULL',
    'SELECT id FROM t WHERE a <= 2',
  ],
  [
    both,
    'SELECT id FROM t WHERE x IS NULL OR x > 6',
    'SELECT id FROM t WHERE x > 6',
    'SELECT id FROM t WHERE a IS NULL OR x > 6',
  ],
  [
    both,
    'SELECT name FROM c WHERE (SELECT count(*) FROM t WHERE t.cid = c.id) > 1',
    'SELECT c.name FROM c JOIN t ON t.cid = c.id GROUP BY c.id, c.name HAVING count(*) >= 2',
    'SELECT name FROM c WHERE (SELECT count(*) FROM t WHERE t.cid = c.id) > 2',
  ],
  [
    both,
    'SELECT cid FROM t GROUP BY cid HAVING max(x) > 6',
    'SELECT DISTINCT cid FROM t WHERE x > 6',
    'SELECT cid FROM t GROUP BY cid HAVING min(x) > 6',
  ],
  [
    both,
    "SELECT cid FROM t GROUP BY cid HAVING count(CASE WHEN s = 'paid' THEN 1 END) > 0",
    "SELECT DISTINCT cid FROM t WHERE s = 'paid'",
    "SELECT cid FROM t GROUP BY cid HAVING count(CASE WHEN s = 'paid' THEN 1 END) > 1",
  ],
  [
    both,
    'SELECT cid FROM t GROUP BY cid HAVING max(x) <= 7',
    'SELECT cid FROM t GROUP BY cid HAVING sum(CASE WHEN x > 7 THEN 1 ELSE 0 END) = 0',
    'SELECT DISTINCT cid FROM t WHERE x <= 7',
  ],
  [
    both,
    'SELECT cid, count(*) FROM t GROUP BY cid HAVING max(x) > 6',
    'SELECT cid, count(*) FROM t GROUP BY cid HAVING sum(CASE WHEN x > 6 THEN 1 ELSE 0 END) > 0',
    'SELECT cid, count(*) FROM t WHERE x > 6 GROUP BY cid',
  ],
  [
    both,
    'SELECT id, sum(x), count(*), count(a) FROM t GROUP BY id HAVING max(x) > 5',
    'SELECT id, x, 1, CASE WHEN a IS NULL THEN 0 ELSE 1 END FROM t WHERE x > 5',
    'SELECT id, x, 1, 1 FROM t WHERE x > 5',
  ],
  [
    both,
    'SELECT q.k, sum(q.x) FROM (SELECT DISTINCT 6 AS k, x FROM t) AS q, c GROUP BY q.k',
    'SELECT 6, sum(q.x) FROM (SELECT DISTINCT x FROM t) AS q, c GROUP BY 1',
    'SELECT 6, sum(q.x) FROM (SELECT x FROM t) AS q, c GROUP BY 1',
  ],
  [
    both,
    'SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS o WHERE o.cid = t.cid AND o.x > t.x)',
    'SELECT id FROM t WHERE x = (SELECT max(o.x) FROM t AS o WHERE o.cid = t.cid)',
    'SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS o WHERE o.cid = t.cid AND o.x < t.x)',
  ],
  [
    both,
    'SELECT t.id FROM t LEFT JOIN t AS o ON o.cid = t.cid AND o.x < t.x WHERE o.id IS NULL',
    'SELECT id FROM t WHERE x = (SELECT min(o.x) FROM t AS o WHERE o.cid = t.cid)',
    'SELECT t.id FROM t LEFT JOIN t AS o ON o.s = t.s AND o.x < t.x WHERE o.id IS NULL',
  ],
  [
    both,
    `SELECT cid, sum(n) OVER (ORDER BY cid) FROM (${grouped('count(*)')}) AS d`,
    'SELECT cid, sum(count(*)) OVER (ORDER BY cid ROWS UNBOUNDED PRECEDING) FROM t GROUP BY cid',
    'SELECT cid, sum(count(*)) OVER (ORDER BY cid ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t GROUP BY cid',
  ],
  [
    both,
    'SELECT id, x FROM (SELECT id, x, row_number() OVER (ORDER BY x DESC, id) AS r FROM t) AS q WHERE r = 2',
    'SELECT id, x FROM t ORDER BY x DESC, id LIMIT 1 OFFSET 1',
    'SELECT id, x FROM (SELECT id, x, row_number() OVER (ORDER BY x DESC, id DESC) AS r FROM t) AS q WHERE r = 2',
  ],
  [
    both,
    `SELECT cid, n FROM (SELECT cid, count(*) AS n, row_number() OVER (ORDER BY count(*) DESC, cid) AS r FROM t GROUP BY cid) AS q
       WHERE r = 1`,
    'SELECT cid, count(*) FROM t GROUP BY cid ORDER BY count(*) DESC, cid LIMIT 1',
    'SELECT cid, count(*) FROM t GROUP BY cid ORDER BY count(*), cid LIMIT 1',
  ],
  [
    both,
    'SELECT count(*) - count(a) FROM t',
    'SELECT count(*) FROM t WHERE a IS NULL',
    'SELECT count(*) FROM t WHERE a IS NOT NULL',
  ],
  [
    both,
    `SELECT cid, n FROM (SELECT cid, sum(x) AS n, rank() OVER (ORDER BY sum(x) DESC) AS r FROM t GROUP BY cid) AS q WHERE r = 1`,
    'SELECT cid, sum(x) FROM t GROUP BY cid HAVING sum(x) = (SELECT max(n) FROM (SELECT sum(x) AS n FROM t GROUP BY cid) AS q)',
    'SELECT cid, sum(x) FROM t GROUP BY cid HAVING sum(x) = (SELECT max(x) FROM t)',
  ],
  [
    ['duckdb'],
    "SELECT d FROM days WHERE strftime(d, '%Y-%m') IN ('2025-10', '2025-11', '2025-12')",
    "SELECT d FROM days WHERE d BETWEEN DATE '2025-10-01' AND DATE '2025-12-31'",
    "SELECT d FROM days WHERE strftime(d, '%Y-%m') IN ('2025-10', '2025-12')",
  ],
  [
    both,
    'SELECT id FROM t WHERE x IN (5, 6, 7) AND x <> 6',
    'SELECT id FROM t WHERE x = 5 OR x = 7',
    'SELECT id FROM t WHERE x IN (5, 6, 7) AND x <> 5',
  ],
  [
    both,
    'SELECT id, sum(x) OVER (ORDER BY id ROWS 1 PRECEDING) FROM t',
    'SELECT id, sum(x) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t',
    'SELECT id, sum(x) OVER (ORDER BY id ROWS 2 PRECEDING) FROM t',
  ],
  [
    both,
    'SELECT cid FROM t GROUP BY cid HAVING count(*) = count(a)',
    'SELECT cid FROM t GROUP BY cid HAVING count(CASE WHEN a IS NULL THEN 1 END) = 0',
    'SELECT cid FROM t GROUP BY cid HAVING count(*) > count(a)',
  ],
  [
    both,
    'SELECT DISTINCT cid, min(x) OVER (PARTITION BY cid) FROM t',
    'SELECT cid, min(x) FROM t GROUP BY cid',
    'SELECT cid, max(x) FROM t GROUP BY cid',
  ],
  [
    both,
    'SELECT id FROM (SELECT id, row_number() OVER (ORDER BY x DESC, id) AS r FROM t) AS q WHERE r <= 3 ORDER BY r',
    'SELECT id FROM t ORDER BY x DESC, id LIMIT 3',
    'SELECT id FROM (SELECT id, row_number() OVER (ORDER BY x DESC, id) AS r FROM t) AS q WHERE r <= 2 ORDER BY r',
  ],
  [
    both,
    'SELECT name, (SELECT coalesce(sum(x), 0) FROM t WHERE t.cid = c.id) FROM c',
    'SELECT c.name, coalesce(d.n, 0) FROM c LEFT JOIN (SELECT cid, sum(x) AS n FROM t GROUP BY cid) AS d ON d.cid = c.id',
    'SELECT name, (SELECT sum(x) FROM t WHERE t.cid = c.id) FROM c',
  ],
  [
    both,
    "SELECT count(*) FROM c WHERE id IN (SELECT cid FROM t WHERE s = 'paid')",
    "SELECT count(DISTINCT c.id) FROM c JOIN t ON t.cid = c.id WHERE t.s = 'paid'",
    "SELECT count(*) FROM c JOIN t ON t.cid = c.id WHERE t.s = 'paid'",
  ],
  [
    both,
    'SELECT g, count(*), max(name) FROM c WHERE EXISTS (SELECT 1 FROM t WHERE t.cid = c.id) GROUP BY g',
    'SELECT c.g, count(DISTINCT t.cid), max(c.name) FROM c JOIN t ON t.cid = c.id GROUP BY c.g',
    'SELECT c.g, count(t.cid), max(c.name) FROM c JOIN t ON t.cid = c.id GROUP BY c.g',
  ],
  [
    ['duckdb'],
    'SELECT id, CASE WHEN a < 5 THEN 1 WHEN a >= 5 THEN 1 END FROM t',
    'SELECT id, CASE WHEN a < 5 OR a >= 5 THEN 1 END FROM t',
    'SELECT id, CASE WHEN a - 1 THEN 1 END FROM t',
  ],
  [
    ['duckdb'],
    'SELECT id, CASE WHEN a - 1 < 5 THEN 1 WHEN a - 1 >= 5 THEN 1 END FROM t',
    'SELECT id, CASE WHEN a - 1 < 5 OR a - 1 >= 5 THEN 1 END FROM t',
    'SELECT id, CASE WHEN a - 1 THEN 1 END FROM t',
  ],
]

describe('analytic queries in two ways', () => {
  it.each(onEngines(pairs))('%s: %s', (engine, one, same, other) =>
    expectTwoWays(setting, engine, one, same, other),
  )

  it.each([
    [
      'SELECT id FROM t WHERE a > 2',
      'SELECT id FROM t WHERE a >= 3',
      'sqlite',
      't.a holds whole numbers only',
    ],
    [
      'SELECT id, avg(x) OVER (PARTITION BY a) FROM t',
      'SELECT t.id, d.n FROM t JOIN (SELECT a, avg(x) AS n FROM t GROUP BY a) AS d ON d.a = t.a',
      'duckdb',
      't.a is never NULL',
    ],
    [
      "SELECT strftime(d, '%Y-%m'), count(*) FROM days GROUP BY 1",
      'SELECT substr(CAST(d AS varchar), 1, 7), count(*) FROM days GROUP BY 1',
      'duckdb',
      'days.d holds times of the years 1 to 9999',
    ],
  ] as const)('%s is %s in %s only where %s', (one, same, dialect, assumption) => {
    expect(compareQueries(setting.parser, one, same, dialect, { schema: setting.schema })).toMatchObject({
      kind: 'equal_if',
      assumptions: [assumption],
    })
  })

  it.each([
    [
      'SELECT cid, s FROM t GROUP BY cid HAVING max(x) > 6',
      'SELECT cid, s FROM t GROUP BY cid HAVING count(CASE WHEN x > 6 THEN 1 END) > 0',
    ],
    [
      'SELECT c.name, sum(d.n) FROM c JOIN (SELECT cid, sum(x) AS n FROM t GROUP BY cid) AS d ON d.cid = c.id',
      'SELECT c.name, sum(t.x) FROM c JOIN t ON t.cid = c.id',
    ],
  ])('SQLite shows some row of a group, not the same in %s as in %s', (one, other) => {
    const { parser, schema } = setting
    expect(compareQueries(parser, one, other, 'sqlite', { schema }).kind).not.toBe('equal')
  })

  it.each([
    [
      'a column that may be NULL',
      'lag(a, 1, 0) OVER (ORDER BY id)',
      'coalesce(lag(a) OVER (ORDER BY id), 0)',
    ],
    ['another type', 'lag(x, 1, 0.5) OVER (ORDER BY id)', 'coalesce(lag(x) OVER (ORDER BY id), 0.5)'],
  ])('a default of lag() is none of coalesce() for %s', (_what, one, other) => {
    const { parser, schema } = setting
    const [asked, instead] = [one, other].map((value) => `SELECT id, ${value} AS n FROM t`)
    expect(compareQueries(parser, asked ?? '', instead ?? '', 'duckdb', { schema }).kind).not.toBe('equal')
  })

  it('rows of DISTINCT ON stay in their order where that does not begin with all keys', () => {
    const { parser, schema } = setting
    const one = 'SELECT DISTINCT ON (cid, s) cid, s, x FROM t ORDER BY cid, cid, x DESC'
    const other =
      'SELECT cid, s, x FROM t QUALIFY row_number() OVER (PARTITION BY cid, s ORDER BY x DESC) = 1 ORDER BY cid'
    expect(compareQueries(parser, one, other, 'duckdb', { schema }).kind).not.toBe('equal')
  })

  it('SQLite shows NULL for what is never NULL beside an aggregate over no rows', () => {
    const { parser, schema } = setting
    const one = "SELECT CASE WHEN x < 5 THEN 'low' ELSE 'high' END, count(*) FROM t"
    const other = "SELECT CASE WHEN x >= 5 THEN 'high' ELSE 'low' END, count(*) FROM t"
    expect(compareQueries(parser, one, other, 'sqlite', { schema }).kind).not.toBe('equal')
  })
})
