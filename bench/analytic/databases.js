import { DuckDBInstance } from '@duckdb/node-api'
import { Sqlite } from '../../build/modules/platform/sqlite.js'
import { randomFrom } from '../compare-databases.js'

/** Of these one has no rows at all, and one no rows in its first table. */
const databases = 8

/**
 * Small databases of one schema, in memory, with NULLs, ties and rows without a parent: for each a function that gives the
 * rows of a query as a text, in any order, undefined where the query fails.
 * @param engine `duckdb` or `sqlite`, in which columns of integers hold fractions and texts here and there
 */
export async function databasesOf(engine, ddl) {
  const tables = tablesIn(ddl)
  const plain = ddl.replace(/ REFERENCES \w+ ?\(\w+\)/gu, '')
  const opened = []
  for (let seed = 1; seed <= databases; seed++) {
    const database = await open(engine)
    await database.run(plain)
    const random = randomFrom(seed * 77)
    for (const [at, table] of tables.entries()) {
      const isEmpty = seed === 7 || (seed === 8 && at === 0)
      const count = isEmpty ? 0 : 3 + Math.floor(random() * 7)
      const isOdd = engine === 'sqlite' && seed % 3 === 0
      for (let row = 0; row < count; row++) {
        const values = table.columns.map((column) => cellOf(column, row, random, isOdd))
        await database.run(`INSERT INTO ${table.name} VALUES (${values.join(', ')})`)
      }
    }
    opened.push((sql) => rowsOf(database, sql))
  }
  return opened
}

async function open(engine) {
  if (engine === 'sqlite') {
    const database = new Sqlite(':memory:')
    return {
      run: async (sql) => database.exec(sql),
      all: async (sql) => database.prepare(sql).raw(true).all(),
    }
  }
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  return {
    run: (sql) => connection.run(sql),
    all: async (sql) => (await connection.runAndReadAll(sql)).getRows(),
  }
}

function tablesIn(ddl) {
  return [...ddl.matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\n\);/gu)].map(([, name, body]) => ({
    name,
    columns: body
      .split('\n')
      .map((line) => /^ {2}(\w+) ([A-Z]+)(.*)/u.exec(line))
      .filter((found) => found !== null && found[1] !== 'PRIMARY')
      .map(([, column, type, rest]) => ({ name: column, type, isFull: /NOT NULL|KEY/u.test(rest) })),
  }))
}

/** Texts that the queries ask for, beside others. */
const texts = new Map([
  ['status', ['a', 'b', 'paid', 'PAID', 'c', 'x']],
  ['country', ['TH', 'th', 'ID', 'T']],
  ['channel', ['web', 'x', 'y', 'paid']],
  ['title', ['dev', 'ops', 'boss']],
  ['city', ['Oslo', 'Rome', 'X']],
  ['plan', ['free', 'pro']],
  ['device', ['ios', 'web']],
  ['kind', ['win', 'loss', 'x']],
])
const amounts = [0, 1.5, 2, 5, 5, 7, 10, 10, 18, 20, 50, 60, 100, 120, -3]
const odd = ['5.5', "'7x'", "''", '5', '6']

function cellOf({ name, type, isFull }, row, random, isOdd) {
  const pick = (list) => list[Math.floor(random() * list.length)]
  if (name === 'id') return row + 1
  // The two keys of one table.
  if (name === 'emp_id') return 1 + (row % 4)
  if (name === 'project_id') return 1 + Math.floor(row / 4)
  if (!isFull && random() < 0.3) return 'NULL'
  if (type === 'DATE')
    return `'${pick([2025, 2025, 2024])}-${pick(['01', '09', '10', '11', '11', '12'])}-${pick(['01', '05', '15', '30'])}'`
  if (type === 'DOUBLE') return pick(amounts)
  if (name.endsWith('_id')) return 1 + Math.floor(random() * 5)
  if (type === 'INTEGER') return isOdd ? pick(odd) : Math.floor(random() * 9)
  return `'${pick(texts.get(name) ?? ['X', 'Y', 'Z'])}'`
}

async function rowsOf(database, sql) {
  try {
    const rows = await database.all(sql)
    return rows
      .map((row) => row.map(shown).sort().join(' '))
      .sort()
      .join('|')
  } catch {
    return undefined
  }
}

/** Numbers of all types alike, and without the digits in which the order of additions shows. */
function shown(value) {
  const text = String(value)
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/u.test(text) ? String(Number(Number(text).toPrecision(9))) : text
}
