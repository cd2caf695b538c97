import { describe, expect, it } from 'vitest'
import { sampledTable } from '../../../../src/compare/copies/sampled/sample-tables.js'
import { tableDefinitions } from '../../../../src/compare/copies/sampled/table-values.js'
import type { CatalogueColumn } from '../../../../src/engine/contract/engine.js'
import type { Dialect } from '../../../../src/enums/dialect.js'

const rows = [
  ['1', "it's"],
  ['2', null],
]

/** The definitions of a table with these columns. */
function defined(
  dialect: Dialect,
  columns: readonly CatalogueColumn[],
  cells: readonly (readonly (string | null)[])[] = rows,
  rowKeyword = '',
): string {
  const table = sampledTable({ name: 't', columns }, { rows: cells, habits: new Map() }, dialect)
  return tableDefinitions(table, cells, 'x', { dialect, rowKeyword }).join('\n')
}

const idAndNote = (id: string, note: string): CatalogueColumn[] => [
  { name: 'id', type: id },
  { name: 'note', type: note },
]

describe('rows in front of a query', () => {
  it.each<[Dialect, readonly CatalogueColumn[], string]>([
    [
      'postgres',
      idAndNote('bigint', 'character varying(10)'),
      `x_rows(c0, c1) AS (VALUES ('1', 'it''s'), ('2', NULL))
x AS (SELECT CAST(c0 AS bigint) AS "id", CAST(c1 AS character varying(10)) AS "note" FROM x_rows)`,
    ],
    [
      'mysql',
      [
        { name: 'id', type: 'int(10) unsigned' },
        { name: 'note', type: 'varchar(10)', collation: 'latin1_bin', characterSet: 'latin1' },
      ],
      `x_rows(c0, c1) AS (VALUES ('1', 'it''s'), ('2', NULL))
x AS (SELECT CAST(c0 AS UNSIGNED) AS \`id\`, CONVERT(c1 USING latin1) COLLATE latin1_bin AS \`note\` FROM x_rows)`,
    ],
    [
      'trino',
      idAndNote('decimal(10, 2)', 'varchar'),
      `x_rows(c0, c1) AS (SELECT x[1], x[2] FROM UNNEST(CAST(json_parse('[["1","it''s"],["2",null]]') AS array(array(varchar)))) AS u(x))
x AS (SELECT CAST(c0 AS decimal(10, 2)) AS "id", CAST(c1 AS varchar) AS "note" FROM x_rows)`,
    ],
    [
      'snowflake',
      idAndNote('NUMBER', 'TEXT'),
      `x_rows(c0, c1) AS (SELECT * FROM (VALUES ('1', 'it''s'), ('2', NULL)))
x AS (SELECT CAST(c0 AS decimal(38, 0)) AS "id", CAST(c1 AS text) AS "note" FROM x_rows)`,
    ],
    [
      'bigquery',
      idAndNote('INT64', 'STRING'),
      `x_rows AS (SELECT * FROM UNNEST([STRUCT(CAST('1' AS STRING) AS c0, CAST('it\\'s' AS STRING) AS c1), ('2', NULL)]))
x AS (SELECT CAST(c0 AS int64) AS \`id\`, CAST(c1 AS string) AS \`note\` FROM x_rows)`,
    ],
    [
      'spark',
      idAndNote('bigint', 'string'),
      `x_rows(c0, c1) AS (VALUES ('1', 'it\\'s'), ('2', NULL))
x AS (SELECT CAST(c0 AS bigint) AS \`id\`, CAST(c1 AS string) AS \`note\` FROM x_rows)`,
    ],
  ])('%s', (dialect, columns, expected) => {
    expect(defined(dialect, columns)).toBe(expected)
  })

  it('MySQL writes ROW before each', () => {
    expect(defined('mysql', idAndNote('int', 'text'), rows, 'ROW')).toContain(
      "VALUES ROW('1', 'it''s'), ROW('2', NULL)",
    )
  })

  it('of no rows only the types are left', () => {
    expect(defined('postgres', idAndNote('bigint', 'text'), [])).toBe(
      'x AS (SELECT CAST(NULL AS bigint) AS "id", CAST(NULL AS text) AS "note" FROM (SELECT 1 AS one) AS unused WHERE 1 = 0)',
    )
  })

  it('backslashes mean themselves, whatever the server is set to', () => {
    const cells = [['1', 'a\\']]
    expect(defined('postgres', idAndNote('bigint', 'text'), cells)).toContain(String.raw`E'a\\'`)
    expect(defined('mysql', idAndNote('int', 'text'), cells)).toContain('CONVERT(0x615c USING utf8mb4)')
  })

  it('computed columns are computed from the others, in their place', () => {
    const columns = [
      { name: 'id', type: 'bigint' },
      { name: 'twice', type: 'bigint', generated: 'id * 2' },
      { name: 'note', type: 'text' },
    ]
    expect(defined('postgres', columns)).toContain('SELECT "id", (id * 2) AS "twice", "note" FROM (SELECT')
  })

  it.each<[Dialect, string]>([
    ['trino', 'interval day to second'],
    ['bigquery', 'ARRAY<INT64>'],
    ['mysql', 'geometry'],
    ['ansi', 'bigint'],
  ])('%s: a column of type %s is left out', (dialect, type) => {
    const table = sampledTable(
      { name: 't', columns: [{ name: 'c', type }] },
      { rows: [], habits: new Map() },
      dialect,
    )
    expect(table.columns).toEqual([])
  })
})
