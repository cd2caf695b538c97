import { describe } from 'vitest'
import { both, itKeepsRows, type RuleTables } from '../../rule-tests.js'

const rowsWithKeys: RuleTables = {
  ddl: `CREATE TABLE t (id INTEGER PRIMARY KEY NOT NULL, v INTEGER, w INTEGER NOT NULL);
  CREATE TABLE k (a INTEGER NOT NULL, b INTEGER NOT NULL, v INTEGER, PRIMARY KEY (a, b));`,
  data: [
    `INSERT INTO t VALUES (1, 1, 1), (2, NULL, 1), (3, 5, 2), (4, 5, 5);
   INSERT INTO k VALUES (1, 1, 1), (1, 2, NULL), (2, 1, NULL), (2, 2, 5);`,
  ],
}

/** Where a row is found again by its key, what else has to agree has to be there. */
describe('a row that is found again by its key', () => {
  itKeepsRows(rowsWithKeys, [
    [
      both,
      'SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.id = a.id AND b.v = a.v)',
      'SELECT id FROM t WHERE v IS NOT NULL',
      'SELECT id FROM t',
    ],
    [
      both,
      'SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.id = a.id AND b.w = a.w)',
      'SELECT id FROM t',
      'SELECT id FROM t WHERE v IS NOT NULL',
    ],
    [
      both,
      'SELECT id FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.id = a.id AND b.v = a.v)',
      'SELECT id FROM t WHERE v IS NULL',
      'SELECT id FROM t WHERE FALSE',
    ],
    [
      both,
      'SELECT a.id FROM t a LEFT JOIN t b ON b.id = a.id AND b.v = a.v WHERE b.id IS NULL',
      'SELECT id FROM t WHERE v IS NULL',
      'SELECT id FROM t WHERE FALSE',
    ],
    [
      both,
      'SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.id = a.id AND NOT (b.v <> a.v))',
      'SELECT id FROM t WHERE NOT (v <> v)',
      'SELECT id FROM t',
    ],
    [
      both,
      'SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.id = a.id AND b.v IS NOT DISTINCT FROM a.v)',
      'SELECT id FROM t',
      'SELECT id FROM t WHERE v IS NOT NULL',
    ],
    [
      both,
      'SELECT b FROM k x WHERE EXISTS (SELECT 1 FROM k y WHERE y.a = x.a AND y.b = x.b AND y.v = x.v)',
      'SELECT b FROM k WHERE v IS NOT NULL',
      'SELECT b FROM k',
    ],
    [
      both,
      'SELECT id, v FROM t EXCEPT SELECT id, v FROM t WHERE v IS NOT NULL',
      'SELECT id, v FROM t WHERE v IS NULL',
      'SELECT id, v FROM t WHERE v = 1 AND v = 2',
    ],
    [
      both,
      'SELECT id, v FROM t INTERSECT SELECT id, v FROM t WHERE v IS NOT NULL',
      'SELECT id, v FROM t WHERE v IS NOT NULL',
      'SELECT id, v FROM t',
    ],
    [
      both,
      'SELECT id, v FROM t INTERSECT SELECT id, v FROM t',
      'SELECT id, v FROM t',
      'SELECT id, v FROM t WHERE v IS NOT NULL',
    ],
    [
      both,
      'SELECT a, b, v FROM k EXCEPT SELECT a, b, v FROM k WHERE v IS NULL',
      'SELECT a, b, v FROM k WHERE v IS NOT NULL',
      'SELECT a, b, v FROM k',
    ],
    [
      both,
      'SELECT a.id FROM t a JOIN t b ON b.id = a.id AND b.v = a.v',
      'SELECT id FROM t WHERE v IS NOT NULL',
      'SELECT id FROM t',
    ],
    [
      both,
      'SELECT id FROM t WHERE (id, v) IN (SELECT id, v FROM t)',
      'SELECT id FROM t WHERE v IS NOT NULL',
      'SELECT id FROM t',
    ],
  ])
})
