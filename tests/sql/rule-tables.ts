import type { RuleTables } from './rule-tests.js'

/** Ties, NULLs, customers without orders and orders without customers; one of the tables empty; all of them. */
export const customersWithOrders: RuleTables = {
  ddl: `CREATE TABLE c (id INTEGER PRIMARY KEY, name TEXT NOT NULL, g INTEGER);
  CREATE TABLE t (id INTEGER PRIMARY KEY, cid INTEGER NOT NULL, x INTEGER NOT NULL, a INTEGER, s TEXT NOT NULL);
  CREATE TABLE days (d DATE NOT NULL);
  CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER NOT NULL, q INTEGER NOT NULL, p DOUBLE);`,
  data: [
    `INSERT INTO c VALUES (1, 'ann', 1), (2, 'bo', 1), (3, 'cy', NULL), (4, 'di', 2);
   INSERT INTO t VALUES (1, 1, 5, 1, 'paid'), (2, 1, 7, NULL, 'open'), (3, 1, 7, 3, 'paid'), (4, 2, 3, NULL, 'lost'),
     (5, 2, 9, 2, 'paid'), (6, 9, 6, 8, 'open'), (7, 3, 2, NULL, 'open'), (8, 3, 8, 4, 'lost');
   INSERT INTO days VALUES ('2025-10-01'), ('2025-11-30'), ('2025-12-31'), ('2026-01-01'), ('2024-11-05');
   INSERT INTO u VALUES (1, 1, 2, 1.5), (2, 1, 7, NULL), (3, 2, 3, 2.5), (4, 5, 9, 4.0), (5, 77, 1, 1.0), (6, 8, 6, NULL);`,
    `INSERT INTO c VALUES (1, 'ann', NULL); INSERT INTO t VALUES (1, 1, 3, NULL, 'paid'), (2, 1, 3, NULL, 'paid');`,
    `INSERT INTO t VALUES (1, 4, 6, 5, 'open'), (2, 5, 5, 6, 'lost'); INSERT INTO u VALUES (1, 1, 6, 3.0), (2, 1, 5, 2.0);`,
    '',
  ],
}

/** Rows without a match, with several, and with NULLs in each column that may hold them; one table empty; all of them. */
export const rowsWithMatches: RuleTables = {
  ddl: `CREATE TABLE t (id INTEGER PRIMARY KEY, g INTEGER, x INTEGER, s TEXT);
  CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER, v INTEGER, k TEXT, w INTEGER);
  CREATE TABLE z (id INTEGER PRIMARY KEY, tid INTEGER, q INTEGER);`,
  data: [
    `INSERT INTO t VALUES (1, 1, 5, 'a'), (2, 1, NULL, 'b'), (3, 2, 7, NULL), (4, NULL, 7, 'a'), (5, 3, 1, 'c');
   INSERT INTO u VALUES (1, 1, 4, 'x', 1), (2, 1, 4, 'y', NULL), (3, 1, NULL, 'x', 2), (4, 2, 9, NULL, 3), (5, 4, 2, 'x', NULL),
     (6, NULL, 3, 'x', 1), (7, 3, NULL, 'y', 2), (8, 2, 1, 'y', 2), (9, 77, 6, 'x', 9);
   INSERT INTO z VALUES (1, 1, 3), (2, 1, 5), (3, 4, NULL), (4, NULL, 2);`,
    `INSERT INTO t VALUES (1, 1, 5, 'x'), (2, 2, 6, 'y');`,
    `INSERT INTO u VALUES (1, 1, 4, 'x', 1), (2, NULL, 5, 'x', 2);`,
    '',
    `INSERT INTO t VALUES (1, NULL, NULL, NULL), (2, NULL, NULL, NULL);
   INSERT INTO u VALUES (1, 1, NULL, NULL, NULL), (2, NULL, NULL, NULL, NULL);`,
  ],
}

/** Ties in what ranks the rows, duplicates and NULLs; one of the tables empty; both empty; only NULLs where they may be. */
export const rankedRows: RuleTables = {
  ddl: `CREATE TABLE t (id INTEGER PRIMARY KEY, g INTEGER NOT NULL, x INTEGER NOT NULL, a INTEGER, b INTEGER);
  CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER, a INTEGER, y INTEGER);`,
  data: [
    `INSERT INTO t VALUES (1, 1, 5, 1, 1), (2, 1, 5, 1, NULL), (3, 1, 3, NULL, 2), (4, 2, 4, 2, NULL), (5, 2, 1, 9, 2),
     (6, 3, 3, NULL, NULL), (7, 3, 3, 2, 9);
   INSERT INTO u VALUES (1, 1, 1, 4), (2, 1, 1, NULL), (3, NULL, NULL, 2), (4, 4, 2, 0), (5, 4, NULL, 7);`,
    'INSERT INTO t VALUES (1, 1, 2, 1, 1), (2, 1, 2, NULL, 3), (3, 4, 2, 2, NULL);',
    'INSERT INTO u VALUES (1, 1, 1, 1), (2, NULL, NULL, 3);',
    '',
    'INSERT INTO t VALUES (1, 1, 1, NULL, NULL), (2, 1, 2, NULL, NULL); INSERT INTO u VALUES (1, NULL, NULL, NULL);',
  ],
}

/** Groups with ties, duplicates and NULLs; one of the tables empty; both empty; only NULLs where they may be. */
export const groupsWithTies: RuleTables = {
  ddl: `CREATE TABLE t (id INTEGER PRIMARY KEY, g INTEGER NOT NULL, a INTEGER, b INTEGER, s TEXT);
  CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER, x INTEGER, y INTEGER);`,
  data: [
    `INSERT INTO t VALUES (1, 1, 1, 1, 'a'), (2, 1, 1, NULL, 'b'), (3, 1, NULL, 2, NULL), (4, 2, 2, NULL, 'a'),
     (5, 2, 3, 2, 'c'), (6, 3, NULL, NULL, 'a'), (7, 3, 2, 3, 'a'), (8, 4, 3, 3, NULL);
   INSERT INTO u VALUES (1, 1, 1, 4), (2, 1, 1, NULL), (3, NULL, NULL, 2), (4, 4, 2, 2), (5, 4, NULL, 7), (6, 5, 3, 3);`,
    "INSERT INTO t VALUES (1, 1, 2, 1, 'a'), (2, 1, 2, NULL, 'a'), (3, 4, 2, 2, NULL);",
    'INSERT INTO u VALUES (1, 1, 1, 1), (2, NULL, NULL, 3);',
    '',
    'INSERT INTO t VALUES (1, 1, NULL, NULL, NULL), (2, 1, NULL, NULL, NULL); INSERT INTO u VALUES (1, NULL, NULL, NULL);',
  ],
}

/** The same tables with rows, NULLs and duplicates; one of them empty; both empty; only NULLs. */
export const duplicatesAndNulls: RuleTables = {
  ddl: `CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
  CREATE TABLE u (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER);`,
  data: [
    `INSERT INTO t VALUES (1, 1, 1), (2, 1, 1), (3, NULL, 2), (4, 2, NULL), (5, 9, 2), (6, NULL, NULL);
   INSERT INTO u VALUES (1, 1, 1), (2, 1, 2), (3, NULL, 2), (4, 2, NULL), (7, 7, 7), (8, 7, 7);`,
    'INSERT INTO t VALUES (1, 1, 1), (2, NULL, 3);',
    'INSERT INTO u VALUES (1, 1, 1), (2, NULL, 3);',
    '',
    'INSERT INTO t VALUES (1, NULL, NULL), (2, NULL, NULL); INSERT INTO u VALUES (1, NULL, NULL);',
  ],
}

/** Shops with one name or city, without a city, and without sales; a sale without a shop, and two that are alike. */
export const shopsWithSales: RuleTables = {
  ddl: `CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
  CREATE TABLE sale (id INTEGER PRIMARY KEY, shop_id INTEGER, day TEXT, amount INTEGER NOT NULL);`,
  data: [
    `INSERT INTO shop VALUES (1, 'a', 'Oslo'), (2, 'b', NULL), (3, 'b', 'Oslo'), (4, 'c', 'Rome'),
     (5, 'a', 'Oslo');
     INSERT INTO sale VALUES (1, 1, 'mon', 5), (2, 1, 'tue', 7), (3, 2, 'mon', 5), (4, NULL, NULL, 9),
     (5, 3, 'tue', 2), (6, 3, 'tue', 2);`,
  ],
}
