import { expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { callsIn, namesIn, unreadableNames } from '../../src/sql-text/calls.js'

const names = (sql: string, dialect: Dialect): string[] => callsIn(sql, dialect).map(({ name }) => name)

it.each<[Dialect, string, string[]]>([
  ['postgres', `SELECT count(*) AS "'", count(f(1)) AS "b'"`, ['count', 'count', 'f']],
  ['postgres', `SELECT "F" /* ( */ (1), 'g(1)', $$h(1)$$`, ['F']],
  ['postgres', 'SELECT A . "b" . F -- x\r(1)', ['f']],
  ['sqlite', "SELECT [f](1), `g`(1), 'h'(1), F(1)", ['f', 'g', 'h', 'f']],
  ['duckdb', 'SELECT f\u00a0(1), \'a\'.g(), "H"()', ['f', 'g', 'h']],
  ['mysql', 'SELECT /*! f(1) */, g/*!99999 x */(1)', ['f', 'g']],
  ['mysql', 'SELECT 1f(1), `g`(1), "h"(1)', ['1f', 'g']],
])('%s: %j calls %j', (dialect, sql, expected) => {
  expect(names(sql, dialect)).toEqual(expect.arrayContaining(expected))
})

it('tells what stands around a call', () => {
  expect(callsIn("SELECT * FROM TABLE(pg.system.query('a''b', $$c$$))", 'postgres')).toEqual([
    { name: 'table', qualifiers: [], texts: undefined, argumentOf: undefined },
    { name: 'query', qualifiers: ['pg', 'system'], texts: ["a'b", 'c'], argumentOf: 'table' },
  ])
  expect(callsIn("SELECT f(E'a'), f('a' || 'b'), f()", 'postgres').map(({ texts }) => texts)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('lists the names of the code, or those behind a dot', () => {
  expect(namesIn(`SELECT a."B", 'c' FROM d -- e`, 'postgres')).toEqual(['select', 'a', 'B', 'from', 'd'])
  expect(namesIn(`SELECT a."B", c.d FROM e`, 'postgres', 'dot')).toEqual(['B', 'd'])
})

it.each<[Dialect, string, boolean]>([
  ['postgres', String.raw`SELECT U&"\0066"(1)`, true],
  ['postgres', String.raw`SELECT U&'\0066'`, false],
  ['mysql', "SELECT 1 /*!99999 ' */, f() /* ' */", true],
  ['mysql', 'SELECT f/*!99999 x *//*!50000 (*/ )', true],
  ['mysql', 'SELECT /*!50000 SLEEP(1) */', false],
])('%s: whether the names of %j cannot be read: %s', (dialect, sql, isUnreadable) => {
  expect(unreadableNames(sql, dialect) !== undefined).toBe(isUnreadable)
})
