import { describe, expect, it } from 'vitest'
import { compared } from '../compare-with-rows.js'

describe('functions and operators of one dialect', () => {
  it.each<['duckdb' | 'sqlite', string, string]>([
    ['duckdb', 'SELECT count() FROM t', 'SELECT count(*) FROM t'],
    ['duckdb', 'SELECT mean(a) FROM t', 'SELECT avg(a) FROM t'],
    ['duckdb', "SELECT a FROM t WHERE contains(s, 'due')", "SELECT a FROM t WHERE s LIKE '%due%'"],
    ['duckdb', 'SELECT list_extract(l, 2) FROM t', 'SELECT l[2] FROM t'],
    ['duckdb', "SELECT s SIMILAR TO 'd.*' FROM t", "SELECT regexp_full_match(s, 'd.*') FROM t"],
    ['duckdb', "SELECT strftime('%Y-%m', d) FROM t", "SELECT strftime(d, '%Y-%m') FROM t"],
    [
      'duckdb',
      "SELECT a FROM t WHERE d >= DATE '2025-01-09' - 7",
      "SELECT a FROM t WHERE d >= DATE '2025-01-02'",
    ],
    [
      'duckdb',
      'SELECT a FROM t WHERE d >= current_date - 7',
      'SELECT a FROM t WHERE d >= current_date - INTERVAL 7 DAY',
    ],
    ['sqlite', "SELECT j ->> '$.x' FROM t", "SELECT json_extract(j, '$.x') FROM t"],
    ['sqlite', "SELECT j ->> 'x' FROM t ORDER BY 1", "SELECT j ->> '$.x' FROM t ORDER BY 1"],
    [
      'sqlite',
      "SELECT a FROM t WHERE j ->> '$.y.z' = 'k'",
      "SELECT a FROM t WHERE json_extract(j, '$.y.z') = 'k'",
    ],
    ['sqlite', "SELECT format('%.2f', b) FROM t", "SELECT printf('%.2f', b) FROM t"],
    ['sqlite', 'SELECT sum(a > 2) FROM t', 'SELECT sum(CASE WHEN a > 2 THEN 1 ELSE 0 END) FROM t'],
  ])('%s: %s is %s', async (dialect, one, other) => {
    const { kinds, left, right } = await compared(dialect, one, other)
    expect(kinds).toEqual(['equal', 'equal'])
    expect(left).toEqual(right)
  })

  it.each<['duckdb' | 'sqlite', string, string]>([
    ['duckdb', 'SELECT count() FROM t', 'SELECT count(a) FROM t'],
    [
      'duckdb',
      "SELECT a FROM t WHERE d >= DATE '2025-01-09' - 7",
      "SELECT a FROM t WHERE d >= DATE '2025-01-09' - 6",
    ],
    [
      'duckdb',
      "SELECT (current_date - 7) - DATE '2025-01-01'",
      "SELECT (current_date - INTERVAL 7 DAY) - DATE '2025-01-01'",
    ],
    ['duckdb', "SELECT a FROM t WHERE contains(s, 'd_e')", "SELECT a FROM t WHERE s LIKE '%d_e%'"],
    ['duckdb', "SELECT a FROM t WHERE contains(s, 'due')", "SELECT a FROM t WHERE s ILIKE '%due%'"],
    ['duckdb', 'SELECT list_extract(l, 1) FROM t', 'SELECT l[2] FROM t'],
    ['sqlite', "SELECT json_array(j ->> '$.x') FROM t", "SELECT json_array(json_extract(j, '$.x')) FROM t"],
    ['sqlite', "SELECT j -> '$.x' FROM t", "SELECT j ->> '$.x' FROM t"],
    [
      'sqlite',
      'SELECT a, sum(b > 5) FROM t GROUP BY a',
      'SELECT a, sum(CASE WHEN b > 5 THEN 1 ELSE 0 END) FROM t GROUP BY a',
    ],
  ])('%s: %s is not %s', async (dialect, one, other) => {
    const { kinds, left, right } = await compared(dialect, one, other)
    expect(kinds).not.toContain('equal')
    expect(left).not.toEqual(right)
  })
})
