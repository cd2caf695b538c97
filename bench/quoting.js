// Whether a function can run without being named: random texts of quotes, comments and calls on real engines, whose canary
// function leaves a mark when it runs; what runs, the scanner must name. node bench/quoting.js [texts] [seed], after npm run
// build. Servers: POSTGRES=postgres://postgres@host:port/database, MARIADB=mysql://user:password@host:port/database; names of
// engines behind the numbers run these alone.

import { Sqlite } from '../build/modules/platform/sqlite.js'
import { callsIn, unreadableNames } from '../build/modules/sql-text/calls.js'
import { mysqlSyntax } from '../build/modules/sql-text/syntax.js'
import { duckdbCanary, mysqlCanary, postgresCanary, sqliteCanary } from './quoting/canaries.js'
import { measureQuoting } from './quoting/measure.js'

const args = process.argv.slice(2)
const [count = 100_000, seed = 1] = args.filter((arg) => /^\d+$/.test(arg)).map(Number)
const engines = args.filter((arg) => !/^\d+$/.test(arg)).map((arg) => arg.toLowerCase())
const isWanted = (name) => engines.length === 0 || engines.includes(name)
const { POSTGRES, MARIADB } = process.env
const names = (syntax) => (sql) =>
  unreadableNames(sql, syntax) !== undefined ||
  callsIn(sql, syntax).some(({ name }) => /^c[aá]nary$/.test(name))

if (isWanted('duckdb')) await measure('DuckDB', await duckdbCanary(), 'duckdb', count)
if (isWanted('sqlite')) await measure('SQLite', sqliteCanary(Sqlite), 'sqlite', count)
if (POSTGRES === undefined) console.log('PostgreSQL: left out, POSTGRES is not set')
else if (isWanted('postgresql')) {
  const { default: pg } = await import('pg')
  const client = new pg.Client(POSTGRES)
  await client.connect()
  await measure('PostgreSQL', await postgresCanary(client), 'postgres', count)
}
if (MARIADB === undefined) console.log('MariaDB: left out, MARIADB is not set')
else if (isWanted('mariadb'))
  for (const [mode, share] of [
    ['', 0.6],
    ['ANSI_QUOTES', 0.2],
    ['NO_BACKSLASH_ESCAPES', 0.2],
  ]) {
    const { createConnection } = await import('mysql2/promise')
    const connection = await createConnection({ uri: MARIADB, multipleStatements: true, charset: 'utf8mb4' })
    await measure(`MariaDB ${mode}`, await mysqlCanary(connection, mode), mysqlSyntax(mode), count * share)
  }

async function measure(label, canary, syntax, texts) {
  const started = performance.now()
  const { ran, named, missed } = await measureQuoting(canary, { seed, count: texts, names: names(syntax) })
  await canary.close()
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(
    `${label.trim()}: ${texts} texts, the canary ran in ${ran} and was named in ${named}; ran without being named: ${missed.length} (${seconds} s)`,
  )
  for (const sql of missed.slice(0, 5)) console.log(`  ${JSON.stringify(sql)}`)
  if (missed.length > 0) process.exitCode = 1
}
