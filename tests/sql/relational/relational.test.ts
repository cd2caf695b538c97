import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalForms } from '../../../src/sql/canonical-form.js'
import { compareQueryPair } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../../src/sql/tables/load-schema.js'

const ddl = `CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
  CREATE TABLE sale (id INTEGER PRIMARY KEY, shop_id INTEGER, day TEXT, amount INTEGER NOT NULL,
    FOREIGN KEY (shop_id) REFERENCES shop (id))`

let parser: SqlParser
let schema: Schema
beforeAll(async () => {
  parser = await loadSqlParser()
  schema = parseSchema(parser, ddl, 'sqlite')
})

function finding(a: string, b: string, trustForeignKeys = false) {
  const side = (sql: string) => ({ sql, dialect: 'sqlite' as const })
  return compareQueryPair(parser, side(a), side(b), { schema, trustForeignKeys })
}

/** Rule, two queries that are equal by it, and one that is not. */
const rules: readonly [string, string, string, string][] = [
  [
    'bare names and stars are bound by the schema',
    'SELECT * FROM shop',
    'SELECT city, name, id FROM shop',
    'SELECT id, name FROM shop',
  ],
  [
    'double quotes are texts where no column has the name',
    'SELECT id FROM shop WHERE city = "Oslo"',
    "SELECT id FROM shop WHERE city = 'Oslo'",
    'SELECT id FROM shop WHERE city = "name"',
  ],
  [
    'equal columns are called alike',
    'SELECT sale.shop_id FROM shop JOIN sale ON shop.id = sale.shop_id',
    'SELECT shop.id FROM shop JOIN sale ON shop.id = sale.shop_id',
    'SELECT sale.id FROM shop JOIN sale ON shop.id = sale.shop_id',
  ],
  [
    'IN over a key is a join',
    "SELECT day FROM sale WHERE shop_id IN (SELECT id FROM shop WHERE city = 'Oslo')",
    "SELECT day FROM sale JOIN shop ON shop.id = sale.shop_id WHERE city = 'Oslo'",
    "SELECT day FROM sale LEFT JOIN shop ON shop.id = sale.shop_id AND city = 'Oslo'",
  ],
  [
    'IN over others is a join of distinct rows',
    "SELECT id, name FROM shop WHERE id IN (SELECT shop_id FROM sale WHERE day = 'x')",
    "SELECT DISTINCT shop.id, name FROM shop JOIN sale ON sale.shop_id = shop.id WHERE day = 'x'",
    "SELECT shop.id, name FROM shop JOIN sale ON sale.shop_id = shop.id WHERE day = 'x'",
  ],
  [
    'derived tables that only join and filter',
    'SELECT x.n FROM (SELECT name AS n, city FROM shop WHERE id > 3) x WHERE x.city IS NULL',
    'SELECT name FROM shop WHERE city IS NULL AND id > 3',
    'SELECT name FROM shop WHERE city IS NULL AND id > 3 LIMIT 1',
  ],
  [
    'a left join whose unmatched rows are rejected',
    'SELECT name FROM shop LEFT JOIN sale ON sale.shop_id = shop.id WHERE amount > 3',
    'SELECT name FROM shop JOIN sale ON sale.shop_id = shop.id WHERE amount > 3',
    'SELECT name FROM shop LEFT JOIN sale ON sale.shop_id = shop.id AND amount > 3',
  ],
  [
    'a left join that keeps the unmatched',
    'SELECT name FROM shop LEFT JOIN sale ON sale.shop_id = shop.id WHERE sale.id IS NULL',
    'SELECT name FROM shop WHERE NOT EXISTS (SELECT 1 FROM sale WHERE sale.shop_id = shop.id)',
    'SELECT name FROM shop LEFT JOIN sale ON sale.shop_id = shop.id WHERE sale.day IS NULL',
  ],
  [
    'grouping keys that others determine',
    'SELECT name, count(*) FROM shop JOIN sale ON shop.id = shop_id GROUP BY shop.id',
    'SELECT name, count(*) FROM shop JOIN sale ON shop.id = shop_id GROUP BY shop.id, shop.name',
    'SELECT name, count(*) FROM shop JOIN sale ON shop.id = shop_id GROUP BY shop.name',
  ],
  [
    'grouping without aggregates',
    'SELECT city FROM shop GROUP BY city',
    'SELECT DISTINCT city FROM shop',
    'SELECT city FROM shop',
  ],
  [
    'DISTINCT over a key',
    'SELECT DISTINCT id, city FROM shop',
    'SELECT id, city FROM shop',
    'SELECT DISTINCT city FROM shop',
  ],
  [
    'conditions on group keys',
    "SELECT city, count(*) FROM shop GROUP BY city HAVING city <> 'Oslo'",
    "SELECT city, count(*) FROM shop WHERE city <> 'Oslo' GROUP BY city",
    "SELECT city, count(*) FROM shop GROUP BY city HAVING max(name) <> 'Oslo'",
  ],
  [
    'counts are integers',
    'SELECT city FROM shop GROUP BY city HAVING count(*) > 2',
    'SELECT city FROM shop GROUP BY city HAVING count(*) >= 3',
    'SELECT city FROM shop GROUP BY city HAVING count(*) >= 2',
  ],
  [
    'counting what is never NULL',
    'SELECT count(amount) FROM sale',
    'SELECT count(*) FROM sale',
    'SELECT count(DISTINCT amount) FROM sale',
  ],
  [
    'EXCEPT of a key',
    "SELECT id FROM shop EXCEPT SELECT id FROM shop WHERE city = 'Oslo'",
    "SELECT id FROM shop WHERE id NOT IN (SELECT id FROM shop WHERE city = 'Oslo')",
    "SELECT id FROM shop WHERE id IN (SELECT id FROM shop WHERE city = 'Oslo')",
  ],
  [
    'UNION over one table',
    "SELECT city FROM shop WHERE name = 'a' UNION SELECT city FROM shop WHERE name = 'b'",
    "SELECT DISTINCT city FROM shop WHERE name IN ('a', 'b')",
    "SELECT city FROM shop WHERE name IN ('a', 'b')",
  ],
  [
    'a grouped derived table',
    'SELECT name, n FROM shop JOIN (SELECT shop_id, count(*) AS n FROM sale GROUP BY shop_id) s ON s.shop_id = shop.id WHERE n > 2',
    'SELECT name, count(*) FROM shop JOIN sale ON shop_id = shop.id GROUP BY shop_id HAVING count(*) >= 3',
    'SELECT name, count(*) FROM shop JOIN sale ON shop_id = shop.id GROUP BY name HAVING count(*) >= 3',
  ],
  [
    'correlated aggregates',
    'SELECT id FROM sale s WHERE amount > (SELECT avg(amount) FROM sale t WHERE t.day = s.day)',
    'SELECT s.id FROM sale s JOIN (SELECT day, avg(amount) AS a FROM sale GROUP BY day) t ON t.day = s.day WHERE s.amount > t.a',
    'SELECT s.id FROM sale s JOIN (SELECT day, sum(amount) AS a FROM sale GROUP BY day) t ON t.day = s.day WHERE s.amount > t.a',
  ],
  [
    'texts of numbers',
    "SELECT id FROM sale WHERE amount = '5'",
    'SELECT id FROM sale WHERE amount = 5',
    "SELECT id FROM sale WHERE amount = '5.5'",
  ],
  [
    'constants are computed',
    'SELECT id FROM sale WHERE amount > 2 + 3',
    'SELECT id FROM sale WHERE amount > 5',
    'SELECT id FROM sale WHERE amount > 6',
  ],
  [
    'a table joined with itself on its key',
    'SELECT a.name FROM shop a JOIN shop b ON a.id = b.id',
    'SELECT name FROM shop',
    'SELECT a.name FROM shop a JOIN shop b ON a.city = b.city',
  ],
  [
    'columns that nobody reads',
    'SELECT count(*) FROM (SELECT day, amount FROM sale LIMIT 5) x',
    'SELECT count(*) FROM (SELECT day FROM sale LIMIT 5) x',
    'SELECT count(*) FROM (SELECT day FROM sale LIMIT 6) x',
  ],
]

describe('rules on shops with sales', () => {
  it.each(rules)('%s', (_, query, equal, other) => {
    expect(finding(query, equal)).toEqual({ kind: 'equal' })
    expect(finding(equal, query)).toEqual({ kind: 'equal' })
    const different = finding(query, other)
    expect(different.kind).toBe('different')
    expect(different.kind === 'different' ? different.differences : []).not.toEqual([])
  })

  it('name the NULLs for which two queries would differ', () => {
    const found = finding(
      'SELECT name FROM shop WHERE id NOT IN (SELECT shop_id FROM sale)',
      'SELECT name FROM shop WHERE NOT EXISTS (SELECT 1 FROM sale WHERE shop_id = shop.id)',
    )
    expect(found).toMatchObject({ kind: 'equal_if', assumptions: ['sale.shop_id is never NULL'] })
  })

  it('follow foreign keys only where they are trusted', () => {
    const [a, b] = [
      'SELECT amount FROM sale JOIN shop ON shop.id = shop_id',
      'SELECT amount FROM sale WHERE shop_id IS NOT NULL',
    ]
    expect(finding(a, b)).toMatchObject({
      kind: 'equal_if',
      assumptions: ['every sale.shop_id that is not NULL is a shop.id'],
    })
    expect(finding(a, b, true)).toEqual({ kind: 'equal' })
  })

  it('show both canonical forms', () => {
    const side = (sql: string) => ({ sql, dialect: 'sqlite' as const })
    const forms = canonicalForms(parser, side('SELECT id FROM shop WHERE 1 < id'), side('SELECT id FROM'), {
      schema,
    })
    expect(forms).toEqual({ expected: 'SELECT id FROM shop WHERE id > 1', generated: undefined })
  })
})
