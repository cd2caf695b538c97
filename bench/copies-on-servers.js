// How well copies tell queries apart that a server holds in front of its queries, beside those that SQLite makes of files:
// `node bench/copies-on-servers.js postgres|mysql ADDRESS [copies] [--list] [--scratch]` with the password of a user who may create databases in
// PGPASSWORD or MYSQL_PWD, after `npm run build`. The databases of ../shared/corpora are written to the server, and the pairs
// translated; pairs whose translation the server does not run, or answers otherwise, are left out.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEnginePool } from '../build/modules/app/engine-pool.js'
import { createCopyComparer } from '../build/modules/compare/copies/compare-on-copies.js'
import { sampleScriptOf } from '../build/modules/compare/copies/sampled/sample-urls.js'
import { queryOrder } from '../build/modules/compare/order/query-order.js'
import { runAndCompare } from '../build/modules/compare/outcomes/run-and-compare.js'
import { sqliteKind } from '../build/modules/engine/file/sqlite.js'
import { mysqlKind } from '../build/modules/engine/server/mysql.js'
import { postgresKind } from '../build/modules/engine/server/postgres.js'
import { Sqlite } from '../build/modules/platform/sqlite.js'
import { loadSqlParser, translateSql } from '../build/modules/sql/index.js'

const corpora = fileURLToPath(new URL('../../shared/corpora/', import.meta.url))
if (!existsSync(join(corpora, 'databases'))) {
  console.log('no corpora beside the project: nothing to measure')
  process.exit(0)
}
const [dialect, address, count = '5'] = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const list = process.argv.includes('--list')
// Copies are written to a schema of each database.
const scratch = process.argv.includes('--scratch')
const limits = { timeoutMs: 20_000, rows: 100_000, bytes: 64e6, memoryBytes: 1e9 }
const root = mkdtempSync(join(tmpdir(), 'autotest-copies-'))
await cp(join(corpora, 'databases'), root, { recursive: true })
const parser = await loadSqlParser()
const options = { root, concurrency: 2, memoryBytes: 1e9 }
const pool = createEnginePool([sqliteKind], (url) => ({ ...options, fixture: sampleScriptOf(url) }))
const copies = createCopyComparer({
  count: Number(count),
  seed: 1,
  source: async () => undefined,
  samples: { root, memoryBytes: 1e9, useEngine: pool.use },
  loadParser: loadSqlParser,
})
const servers = new Map()
const tally = {
  pairs: 0,
  translated: 0,
  refutedByFiles: 0,
  comparable: 0,
  refuted: 0,
  weak: 0,
  match: 0,
  unavailable: 0,
}
const started = performance.now()
try {
  for (const pair of pairsOf('pairs_diff.jsonl')) await measure(pair, true, tally)
  console.log(
    'different pairs',
    JSON.stringify(tally),
    `${((performance.now() - started) / 1000).toFixed(0)} s`,
  )
  console.log(`${((100 * tally.refuted) / tally.comparable).toFixed(1)}% of what copies of files refute`)
  const equal = { ...tally }
  for (const key of Object.keys(equal)) equal[key] = 0
  for (const pair of pairsOf('pairs_equiv.jsonl')) await measure(pair, false, equal)
  console.log('equivalent pairs', JSON.stringify(equal))
} finally {
  for (const engine of servers.values()) await engine?.close()
  await pool.close()
  rmSync(root, { recursive: true, force: true })
}

function pairsOf(file) {
  const rows = readFileSync(join(corpora, file), 'utf8').trim().split('\n')
  return rows
    .map((line) => JSON.parse(line))
    .filter(
      (row) =>
        row.suspect === undefined && row.dialect === 'sqlite' && existsSync(join(root, `${row.db}.sqlite`)),
    )
}

function inputOf(engine, expectedSql, generatedSql, dialect) {
  return {
    limits,
    expectedSql,
    generatedSql,
    order: queryOrder(parser, expectedSql, dialect),
    tolerance: 1e-4,
    columns: 'auto',
    engine,
    same: false,
    expectedOutcome: () => engine.query(expectedSql, limits),
  }
}

/** @param byFiles only pairs that copies of files refute */
async function measure({ id, db, sql_a, sql_b }, byFiles, tally) {
  tally.pairs++
  const file = await pool.open(`sqlite:${db}.sqlite`)
  const here = inputOf(file, sql_a, sql_b, 'sqlite')
  if ((await runAndCompare(here)).kind !== 'match') return
  const refutes = async () => ['refuted', 'fails'].includes((await copies.compare(file, here)).kind)
  if (byFiles && !(await refutes())) return
  tally.refutedByFiles++
  const texts = [sql_a, sql_b].map((sql) => withStrings(sql, db))
  const [a, b] = await Promise.all(texts.map((sql) => translateSql(sql, 'sqlite', dialect)))
  if (a.kind !== 'sql' || b.kind !== 'sql') return
  tally.translated++
  const server = await serverOf(db)
  if (server === undefined) return
  const there = inputOf(server, a.sql, b.sql, dialect)
  const answer = await runAndCompare(there)
  if (answer.kind !== 'match') {
    if (list) console.log(`${id} ${db} ${answer.kind} ${answer.message ?? ''}`)
    return
  }
  tally.comparable++
  const found = await copies.compare(server, there)
  const kind = found.kind === 'fails' ? 'refuted' : found.kind
  tally[kind]++
  if (list && (kind === 'unavailable' || (kind === 'refuted') !== byFiles))
    console.log(`${id} ${db} ${kind} ${found.reason ?? found.informative}\n  ${a.sql}\n  ${b.sql}`)
}

/** SQLite takes what is quoted like a name and is none for a text. */
function withStrings(sql, db) {
  const names = new Set(
    tablesOf(join(root, `${db}.sqlite`)).flatMap(({ name, columns }) => [
      name,
      ...columns.map((column) => column.name),
    ]),
  )
  return sql.replaceAll(/"([^"]*)"/g, (whole, text) =>
    names.has(text.toLowerCase()) ? whole : `'${text.replaceAll("'", "''")}'`,
  )
}

/** Writes a database to the server and opens it; undefined where that fails. */
async function serverOf(db) {
  if (servers.has(db)) return servers.get(db)
  const name = `corpus_${db.toLowerCase().replaceAll(/\W/g, '_')}`
  const tables = tablesOf(join(root, `${db}.sqlite`))
  try {
    await (dialect === 'postgres' ? writePostgres : writeMysql)(name, tables)
    const kind = dialect === 'postgres' ? postgresKind : mysqlKind
    servers.set(
      db,
      await kind.open(
        `//${address}/${name}?allow_superuser=true${scratch ? `&scratch=${scratchOf(name)}` : ''}`,
        { ...options, concurrency: 2 },
      ),
    )
  } catch (error) {
    console.log(`${db}: ${error.message}`)
    servers.set(db, undefined)
  }
  return servers.get(db)
}

function scratchOf(name) {
  return `${name}_scratch`
}

function tablesOf(path) {
  const database = new Sqlite(path, { readonly: true })
  try {
    const names = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .pluck()
      .all()
    return names.map((name) => {
      const columns = database
        .prepare('SELECT name, type, pk, "notnull" AS required FROM pragma_table_info(?)')
        .all(name)
      const rows = database.prepare(`SELECT * FROM "${name}"`).raw(true).all()
      // Names without quotes are those in lower case.
      const lower = columns.map((column, at) => ({
        ...column,
        name: column.name.toLowerCase(),
        type: typeOf(rows.map((row) => row[at])),
      }))
      const references = database
        .prepare('SELECT "table" AS parent, "from" AS own, "to" AS target FROM pragma_foreign_key_list(?)')
        .all(name)
      return { name: name.toLowerCase(), columns: lower, rows, references }
    })
  } finally {
    database.close()
  }
}

/** What the values are, whatever the column says. */
function typeOf(values) {
  const held = values.filter((value) => value !== null)
  if (held.length === 0) return 'text'
  if (held.every((value) => Number.isInteger(value))) return 'bigint'
  return held.every((value) => typeof value === 'number') ? 'double precision' : 'text'
}

async function writePostgres(name, tables) {
  const { default: pg } = await import('pg')
  const [user, place] = address.split('@')
  const [host, port] = place.split(':')
  const settings = { user, host, port: Number(port), password: process.env.PGPASSWORD }
  await within(new pg.Client({ ...settings, database: 'postgres' }), async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name}`)
    await client.query(`CREATE DATABASE ${name}`)
  })
  await within(new pg.Client({ ...settings, database: name }), async (client) => {
    for (const { name: table, columns, rows } of tables) {
      const list = columns.map(
        ({ name: each, type, required }) => `"${each}" ${type}${required === 1 ? ' NOT NULL' : ''}`,
      )
      await client.query(`CREATE TABLE "${table}" (${list.join(', ')})`)
      for (const row of rows)
        await client.query(
          `INSERT INTO "${table}" VALUES (${row.map((_, at) => `$${at + 1}`).join(', ')})`,
          row.map(plain),
        )
    }
    if (scratch) await client.query(`CREATE SCHEMA ${scratchOf(name)}`)
    for (const sql of constraints(tables, (each) => `"${each}"`))
      await client.query(sql).catch(() => undefined)
  })
}

/** Statements for keys and references; a server refuses those that the data do not honour. */
function constraints(tables, quote) {
  const keys = tables.flatMap(({ name, columns }) => {
    const key = columns.filter(({ pk }) => pk > 0).map((column) => quote(column.name))
    return key.length === 0 ? [] : [`ALTER TABLE ${quote(name)} ADD PRIMARY KEY (${key.join(', ')})`]
  })
  const references = tables.flatMap(({ name, references: all }) =>
    all.map(({ parent, own, target }) => {
      const implied = tables
        .find((table) => table.name === parent.toLowerCase())
        ?.columns.find(({ pk }) => pk === 1)
      const to = `${quote(parent.toLowerCase())} (${quote((target ?? implied?.name ?? own).toLowerCase())})`
      return `ALTER TABLE ${quote(name)} ADD FOREIGN KEY (${quote(own.toLowerCase())}) REFERENCES ${to}`
    }),
  )
  return [...keys, ...references]
}

async function within(client, work) {
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

async function writeMysql(name, tables) {
  const { createConnection } = await import('mysql2/promise')
  const [user, place] = address.split('@')
  const [host, port] = place.split(':')
  const connection = await createConnection({
    host,
    port: Number(port),
    user,
    password: process.env.MYSQL_PWD ?? '',
  })
  try {
    await connection.query(`DROP DATABASE IF EXISTS ${name}`)
    await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`)
    if (scratch) await connection.query(`CREATE DATABASE IF NOT EXISTS ${scratchOf(name)}`)
    await connection.query(`USE ${name}`)
    for (const { name: table, columns, rows } of tables) {
      const list = columns.map(
        ({ name: each, type, pk, required }) =>
          `\`${each}\` ${type === 'text' && pk > 0 ? 'varchar(200)' : type}${required === 1 ? ' NOT NULL' : ''}`,
      )
      await connection.query(`CREATE TABLE \`${table}\` (${list.join(', ')})`)
      for (let from = 0; from < rows.length; from += 500)
        await connection.query(`INSERT INTO \`${table}\` VALUES ?`, [
          rows.slice(from, from + 500).map((row) => row.map(plain)),
        ])
    }
    for (const sql of constraints(tables, (each) => `\`${each}\``))
      await connection.query(sql).catch(() => undefined)
  } finally {
    await connection.end()
  }
}

function plain(value) {
  return value instanceof Uint8Array
    ? Buffer.from(value).toString('latin1')
    : typeof value === 'string'
      ? value.replaceAll('\0', '')
      : value
}
