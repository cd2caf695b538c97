import { describe, expect, it } from 'vitest'
import { canonicalForm } from '../../src/sql/canonical-form.js'
import { loadSqlParser } from '../../src/sql/parser.js'
import { parseSchema } from '../../src/sql/tables/load-schema.js'
import { rowsOf, runsOf } from './in-memory-databases.js'

const ddl = `CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
  CREATE TABLE u (id TEXT PRIMARY KEY, x INTEGER, y INTEGER);`

/** The same tables with rows, NULLs and duplicates; one of them empty; both empty; nothing but NULLs. */
const data: readonly string[] = [
  `INSERT INTO t VALUES (1, 1, 1), (2, 1, 1), (3, NULL, 2), (4, 2, NULL), (5, 9, 2), (6, NULL, NULL);
   INSERT INTO u VALUES ('a', 1, 1), ('b', 1, 2), ('c', NULL, 2), ('d', 2, NULL), ('e', 7, 7), ('f', 7, 7);`,
  'INSERT INTO t VALUES (1, 1, 1), (2, NULL, 3);',
  "INSERT INTO u VALUES ('q', 1, 1), ('r', NULL, 3);",
  '',
  "INSERT INTO t VALUES (1, NULL, NULL), (2, NULL, NULL); INSERT INTO u VALUES ('z', NULL, NULL);",
]

const pairs = ['t.a = u.x', 't.a = u.x AND u.y > 1']
const froms = [
  ...['t', 't FULL JOIN u ON t.a = u.x', 't RIGHT JOIN u ON t.a = u.x', 't JOIN u ON t.a = u.x'],
  ...pairs.flatMap((on) => [`t LEFT JOIN u ON ${on}`, `u LEFT JOIN t ON ${on}`]),
  't, (SELECT max(x) AS m FROM u) AS q',
  't LEFT JOIN (SELECT DISTINCT 1 AS i FROM u WHERE x > 1) AS q ON TRUE',
  '(SELECT a, b FROM t UNION ALL SELECT x, y FROM u) AS t',
  '(SELECT DISTINCT * FROM (SELECT a, b FROM t UNION ALL SELECT x, y FROM u) AS z) AS t',
  '(SELECT a, b FROM t UNION SELECT a, b FROM t) AS t',
]
const conditions = [
  ...['TRUE', 't.a IS NULL', 'u.x IS NULL', 'u.id IS NULL', 't.a > -0.0', 't.a IS NULL OR u.x IS NULL'],
  ...['NOT EXISTS (SELECT 1 FROM u AS v WHERE v.x = t.a)', 't.a = 1 OR t.a = 1 AND t.b = 1'],
]
const lists = [
  ...[
    't.a',
    'DISTINCT t.a',
    'DISTINCT t.a, t.b',
    't.a, u.x',
    't.a, NULL',
    'NULL, u.x',
    'u.id',
    'DISTINCT u.id',
  ],
  ...[
    'count(*)',
    'count(NULL)',
    '0',
    'count(t.a)',
    'count(NULL), count(t.a)',
    'count(u.id)',
    'count(DISTINCT t.a)',
  ],
  'count(*) FILTER (WHERE 2 > 1)',
]
const plain = froms.flatMap((from) =>
  conditions.flatMap((condition) =>
    lists.flatMap((list) =>
      ['', ' GROUP BY t.a'].map((tail) => `SELECT ${list} FROM ${from} WHERE ${condition}${tail}`),
    ),
  ),
)
const unions = ['t.a IS NULL', 't.b IS NULL', 't.id IS NULL'].flatMap((missing) =>
  ['t.a, u.x', 'u.x', 'u.id, t.a'].flatMap((list) =>
    pairs.flatMap((left) =>
      pairs.flatMap((right) => {
        const rest = `SELECT ${list} FROM t RIGHT JOIN u ON ${right} WHERE ${missing}`
        const union = `SELECT ${list} FROM t LEFT JOIN u ON ${left} UNION ALL ${rest}`
        const full = `FROM t FULL JOIN u ON ${left}`
        return [
          union,
          `SELECT count(*) FROM (${union}) AS q`,
          `SELECT ${list} ${full}`,
          `SELECT count(*) ${full}`,
        ]
      }),
    ),
  ),
)
/** Some are refused, where a list names what FROM has not. */
const queries = [...new Set([...plain.filter((_, at) => at % 8 === 0), ...unions])]

describe('queries put together of parts', () => {
  it.each(['sqlite', 'duckdb'] as const)(
    'have the same rows where they have one form: %s',
    async (dialect) => {
      const parser = await loadSqlParser()
      const schema = parseSchema(parser, ddl, dialect)
      const runs = await runsOf(dialect, ddl, data)
      const forms = new Map<string, string[]>()
      for (const sql of queries) {
        const form = canonicalForm(parser, sql, dialect, schema)
        if (form !== undefined) forms.set(form, [...(forms.get(form) ?? []), sql])
      }
      const found: string[] = []
      let compared = 0
      for (const group of [...forms.values()].filter(({ length }) => length > 1)) {
        let known: { readonly sql: string; readonly rows: string } | undefined
        for (const sql of group) {
          const rows = await rowsOf(runs, sql)
          if (rows === undefined) continue
          compared++
          known ??= { sql, rows }
          if (rows !== known.rows) found.push(`${known.sql}\n${sql}`)
        }
      }
      expect(compared).toBeGreaterThan(200)
      expect(found).toEqual([])
    },
  )
})
