// Whether queries with one canonical form have the same rows: random scalar subqueries, outer tables, groups and conditions, run on
// SQLite and DuckDB over full, small and empty tables. Nothing here passes or fails; docs/benchmarks-compare.md keeps the figure.
// node bench/scalar-subqueries.js [--queries 50000] [--seed 1]
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { Sqlite } from '../build/modules/platform/sqlite.js'
import { canonicalForm, loadSqlParser } from '../build/modules/sql/index.js'
import { randomFrom } from './compare-databases.js'

const { values: flags } = parseArgs({
  options: { queries: { type: 'string', default: '50000' }, seed: { type: 'string', default: '1' } },
})
const parser = await loadSqlParser()
const random = randomFrom(Number(flags.seed))
const any = (...options) => options[Math.floor(random() * options.length)]
const often = (chance, text) => (random() < chance ? text : '')

/** INSERT statements of three databases. */
const databases = [
  `INSERT INTO t VALUES (1, 2, 'x'), (2, 2, 'y'), (3, NULL, 'x'), (NULL, 1, 'y'), (2, 3, NULL);
   INSERT INTO s VALUES (1, 5, 'x'), (2, 6, 'z'), (2, NULL, 'x')`,
  `INSERT INTO t VALUES (2, 2, 'x')`,
  `INSERT INTO s VALUES (1, 1, 'y')`,
]
const tables = 'CREATE TABLE t (a INTEGER, b INTEGER, g TEXT); CREATE TABLE s (a INTEGER, b INTEGER, g TEXT);'

function column(alias) {
  return `${alias}.${any('a', 'b')}`
}

function test(alias) {
  return any(`${column(alias)} > ${any(0, 1, 2)}`, `${alias}.g = 'x'`, `${column(alias)} IS NOT NULL`)
}

function where(alias, outer) {
  const tests = [
    often(0.5, test(alias)),
    outer === undefined ? '' : often(0.3, `${alias}.g = ${outer}.g`),
  ].filter(Boolean)
  return tests.length === 0 ? '' : ` WHERE ${tests.join(' AND ')}`
}

function aggregate(alias) {
  const of = column(alias)
  return any('count(*)', `count(${of})`, `sum(${of})`, `max(${of})`, `min(${of})`, `count(DISTINCT ${of})`)
}

function scalar(outer, depth = 1) {
  const name = `q${Math.floor(depth)}`
  const value = any(aggregate(name), `${aggregate(name)} + 1`, `coalesce(${aggregate(name)}, 0)`)
  return `(SELECT ${value} FROM ${any('t', 't', 's')} ${name}${where(name, outer)})`
}

function value(outer, depth) {
  const one = () => scalar(outer, depth)
  return any(
    one,
    one,
    () => `${one()} + ${one()}`,
    () => `coalesce(${one()}, 0)`,
    () => `CASE WHEN ${one()} > 1 THEN 1 ELSE 0 END`,
    () => `${one()} * 1.0`,
  )()
}

function select(depth = 0) {
  const alias = `o${depth}`
  const from = () => ` FROM ${any('t', 't', 's')} ${alias}${where(alias)}`
  const derived = () => ` FROM (${select(depth + 1)}) ${alias}`
  return any(
    () => `SELECT ${value(undefined, depth + 1)} AS n`,
    () => `SELECT ${value(any(alias, undefined), depth + 1)} AS n${from()}`,
    () => `SELECT DISTINCT ${value(any(alias, undefined), depth + 1)} AS n${from()}`,
    () => `SELECT ${aggregate(alias)} AS n${from()}`,
    () => `SELECT ${aggregate(alias)} + ${scalar(undefined, depth + 1)} AS n${from()}`,
    () => `SELECT ${aggregate(alias)} AS n${from()} GROUP BY ${alias}.g`,
    () => `SELECT max(${value(undefined, depth + 1)}) AS n${from()}`,
    () =>
      depth > 1
        ? select(3)
        : `SELECT ${any(`${alias}.n`, `sum(${alias}.n)`, `max(${alias}.n)`, 'count(*)')} AS n${derived()}`,
    () => (depth > 1 ? select(3) : `${select(depth + 1)} UNION ALL ${select(depth + 1)}`),
    () =>
      `SELECT 1 AS n${from()}${' '}GROUP BY ${alias}.g HAVING ${aggregate(alias)} > ${scalar(undefined, depth + 1)}`,
  )()
}

/** Distinct queries by their canonical form. */
function groupsOf(dialect, queries) {
  const groups = new Map()
  for (const query of queries) {
    const form = canonicalForm(parser, query, dialect)
    if (form !== undefined) groups.set(form, [...(groups.get(form) ?? []), query])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

const queries = new Set()
while (queries.size < Number(flags.queries)) queries.add(select())
for (const [dialect, open] of [
  ['sqlite', sqlite],
  ['duckdb', duckdb],
]) {
  const groups = groupsOf(dialect, queries)
  const runs = await Promise.all(databases.map(open))
  const wrong = new Set()
  let compared = 0
  for (const [one, ...others] of groups) {
    for (const rowsOf of runs) {
      const rows = await rowsOf(one)
      for (const other of others) if ((await rowsOf(other)) !== rows) wrong.add(`${one}\n    ${other}`)
    }
    compared += others.length
  }
  console.log(
    `${dialect}: ${queries.size} queries, ${compared} share a form with another, ${wrong.size} wrong`,
  )
  for (const pair of [...wrong].slice(0, 5)) console.log(`    ${pair}\n`)
}

function sqlite(rows) {
  const database = new Sqlite(':memory:')
  database.exec(`${tables}${rows}`)
  return async (query) => asText(() => database.prepare(query).raw().all())
}

async function duckdb(rows) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(`${tables}${rows}`)
  return async (query) => {
    try {
      const found = (await connection.runAndReadAll(query)).getRows()
      return asText(() => found)
    } catch (error) {
      return String(error).split('\n')[0]
    }
  }
}

/** Rows in any order; numbers as numbers, whatever their type; of a query that fails, why. */
function asText(read) {
  try {
    return JSON.stringify(
      read()
        .map((row) => row.map((cell) => (cell === null ? null : Number(cell))))
        .map(String)
        .sort(),
    )
  } catch (error) {
    return String(error)
  }
}
