import { expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import {
  blank,
  firstKeyword,
  readings,
  scan,
  statements,
  withoutTerminator,
} from '../../src/sql-text/scan.js'
import { mysqlSyntax } from '../../src/sql-text/syntax.js'

const parts = (sql: string, dialect: Dialect): string[] =>
  scan(sql, dialect).map(({ kind, start, end }) => `${kind} ${sql.slice(start, end)}`)

it.each<[Dialect, string, string[]]>([
  ['postgres', `SELECT 1 AS "'"`, ['code SELECT 1 AS ', `name "'"`]],
  ['postgres', `$$'$$; x`, [`text $$'$$`, 'code ; x']],
  ['postgres', `$a$ $b$ $$ $a$1`, ['text $a$ $b$ $$ $a$', 'code 1']],
  ['postgres', 'a$$ b$$', ['code a$$ b$$']],
  ['postgres', String.raw`'\' E'\''`, [String.raw`text '\'`, 'code  E', String.raw`text '\''`]],
  [
    'postgres',
    "E'a' -- '\n '\\'' 'b'",
    ['code E', "text 'a'", 'code  ', "comment -- '", 'code \n ', "text '\\''", 'code  ', "text 'b'"],
  ],
  ['postgres', "/* /* ' */ \" */'a'", ['comment /* /* \' */ " */', "text 'a'"]],
  ['postgres', "-- '\r1", ["comment -- '", 'code \r1']],
  ['sqlite', "/* /* */'a' [b']", ['comment /* /* */', "text 'a'", 'code  ', "name [b']"]],
  ['sqlite', "-- '\r1", ["comment -- '\r1"]],
  ['sqlite', "$a('), f('')", ["code $a('), f(", "text ''", 'code )']],
  [
    'mysql',
    String.raw`'\'' "\"" # x`,
    [String.raw`text '\''`, 'code  ', String.raw`text "\""`, 'code  ', 'comment # x'],
  ],
  ['mysql', "1--1 -- '", ['code 1--1 ', "comment -- '"]],
  ['mysql', '/*!50000 a */ b', ['comment /*!50000', 'code  a ', 'comment */', 'code  b']],
  ['bigquery', `'''it's''' r'\\''`, [`text '''it's'''`, 'code  r', `text '\\''`]],
  ['snowflake', "// '\n$$'$$", ["comment // '", 'code \n', "text $$'$$"]],
  ['spark', String.raw`r'\' '\''`, ['code r', String.raw`text '\'`, 'code  ', String.raw`text '\''`]],
  ['trino', '"a""b" `c`', ['name "a""b"', 'code  ', 'name `c`']],
])('%s reads %j as it does', (dialect, sql, expected) => {
  expect(parts(sql, dialect)).toEqual(expected)
})

it.each<[Dialect, string]>([
  ['duckdb', "'a"],
  ['duckdb', '"a'],
  ['duckdb', '/* /* */'],
  ['duckdb', '$q$ $$'],
  ['mysql', String.raw`'\'`],
  ['sqlite', '[a'],
])('%s: %j runs to the end of the text', (dialect, sql) => {
  expect(scan(sql, dialect)).toEqual([
    { kind: expect.any(String), start: 0, end: sql.length, isClosed: false },
  ])
})

it('pieces have no gap, whatever the text', () => {
  for (const sql of ['', ';', "''''", "E'''\\", '$$$', '/*/', '--', '\u00a0', '"$a$"$a$'])
    for (const dialect of ['postgres', 'duckdb', 'sqlite', 'mysql', 'spark'] as const)
      expect(
        parts(sql, dialect)
          .map((part) => part.replace(/^\w+ /, ''))
          .join(''),
      ).toBe(sql)
})

it('the mode of MySQL decides what a backslash and a double quote are', () => {
  const kinds = (sql: string, mode: string) => scan(sql, mysqlSyntax(mode)).map(({ kind }) => kind)
  expect(kinds(String.raw`'\'`, 'NO_BACKSLASH_ESCAPES')).toEqual(['text'])
  expect(kinds('"a"', 'STRICT_TRANS_TABLES')).toEqual(['text'])
  expect(kinds('"a"', 'ANSI_QUOTES,STRICT_TRANS_TABLES')).toEqual(['name'])
})

it.each<[string, number]>([
  ['', 0],
  ['; -- a', 0],
  ["SELECT ';' AS a;", 1],
  ['SELECT ";" -- ;\n;', 1],
  ['SELECT 1; SELECT 2', 2],
  ["SELECT $$'$$; DROP TABLE t; SELECT '$$'", 3],
])('%j holds %i statements', (sql, count) => {
  expect(statements(sql, 'postgres')).toBe(count)
})

it('leaves out semicolons at the end, and nothing else', () => {
  expect(withoutTerminator("SELECT ';' ; -- a\n;", 'duckdb')).toBe("SELECT ';' ")
  expect(withoutTerminator('SELECT 1 -- a;', 'duckdb')).toBe('SELECT 1 -- a;')
  expect(withoutTerminator('SELECT 1; SELECT 2;', 'duckdb')).toBe('SELECT 1; SELECT 2')
})

it('blanks texts and comments in their places', () => {
  expect(blank(`a 'b' "c" /* d\n*/ e`, 'duckdb')).toBe('a     "c"     \n   e')
})

it('finds the first keyword behind comments, parentheses and what engines execute', () => {
  expect(firstKeyword(' -- x\n((/* y */ select', 'duckdb')).toBe('SELECT')
  expect(firstKeyword('/*! DELETE FROM a */', 'mysql')).toBe('DELETE')
  expect(firstKeyword("'a'", 'duckdb')).toBe("'")
})

it('a comment that only some servers execute is read both ways', () => {
  const sql = '/*!99999 SELECT 1 */ DELETE FROM a'
  expect(readings(sql, 'mysql').map((each) => firstKeyword(each, 'mysql'))).toEqual(['SELECT', 'DELETE'])
  expect(readings(sql, 'postgres')).toEqual([sql])
})

it('reads a megabyte of one mark in a moment', () => {
  for (const mark of ["'", '"', '\\', '$', '/*', '-- ', "'\\", "E'' ", '/*!', '['])
    for (const dialect of ['postgres', 'mysql', 'sqlite'] as const)
      expect(scan(mark.repeat(Math.ceil(1e6 / mark.length)), dialect).length).toBeGreaterThan(0)
})
