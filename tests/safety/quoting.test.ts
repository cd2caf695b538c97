import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { Sqlite } from '../../src/platform/sqlite.js'
import { callsIn, unreadableNames } from '../../src/sql-text/calls.js'
import { mysqlSyntax, type Syntax, syntaxFor } from '../../src/sql-text/syntax.js'
import { needsMariaDb, startMariaDb } from '../engine/server/mariadb-server.js'
import { needsPostgres, startPostgres } from '../engine/server/postgres-server.js'

// No function runs without being named: what is a text, a name or a comment is decided as the engine decides it. The truth is
// the engine, in which a function of our own leaves a mark when it runs.

interface Canary {
  run(sql: string): number | Promise<number>
  close(): unknown
}
interface Found {
  readonly texts: number
  readonly ran: number
  readonly missed: readonly string[]
}

// Shared with bench/quoting.js, which runs a hundred thousand texts.
const canaries = await import(new URL('../../bench/quoting/canaries.js', import.meta.url).href)
const { measureQuoting } = await import(new URL('../../bench/quoting/measure.js', import.meta.url).href)

const [count, seed] = [2000, 7]
const started = { postgres: await startPostgres(), mariaDb: await startMariaDb() }
afterAll(() => {
  started.postgres?.stop()
  started.mariaDb?.stop()
})

async function measure(canary: Canary, syntax: Syntax): Promise<Found> {
  const names = (sql: string): boolean =>
    unreadableNames(sql, syntax) !== undefined ||
    callsIn(sql, syntax).some(({ name }) => /^c[aá]nary$/.test(name))
  try {
    return await measureQuoting(canary, { seed, count, names })
  } finally {
    await canary.close()
  }
}

function expectNoneMissed({ texts, ran, missed }: Found): void {
  expect(missed).toEqual([])
  expect(texts).toBe(count)
  // Most texts are damaged; a test in which none runs would show nothing.
  expect(ran).toBeGreaterThan(count / 5)
}

it('DuckDB runs no function that is not named', async () => {
  expectNoneMissed(await measure(await canaries.duckdbCanary(), syntaxFor('duckdb')))
})

it('SQLite runs no function that is not named', async () => {
  expectNoneMissed(await measure(canaries.sqliteCanary(Sqlite), syntaxFor('sqlite')))
})

describe('PostgreSQL', needsPostgres, () => {
  it('runs no function that is not named', async () => {
    const client = new Client({
      host: '127.0.0.1',
      port: started.postgres?.port,
      user: 'postgres',
      password: 'postgres',
      database: 'postgres',
    })
    await client.connect()
    expectNoneMissed(await measure(await canaries.postgresCanary(client), syntaxFor('postgres')))
  })
})

describe('MariaDB', needsMariaDb, () => {
  it.each(['', 'ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES'])(
    'runs no function that is not named, in the mode %j',
    async (mode) => {
      const { mariaDb } = started
      await mariaDb?.run([
        'CREATE DATABASE IF NOT EXISTS app',
        "CREATE USER IF NOT EXISTS app@'127.0.0.1' IDENTIFIED BY 'app'",
        "GRANT ALL ON app.* TO app@'127.0.0.1'",
      ])
      const connection = await createConnection({
        host: '127.0.0.1',
        port: mariaDb?.port ?? 0,
        user: 'app',
        password: 'app',
        database: 'app',
        multipleStatements: true,
        charset: 'utf8mb4',
      })
      expectNoneMissed(await measure(await canaries.mysqlCanary(connection, mode), mysqlSyntax(mode)))
    },
  )
})
