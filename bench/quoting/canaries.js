// Engines with a function of our own, `canary`, that leaves a mark when it runs.
import { DuckDBInstance, DuckDBScalarFunction, INTEGER } from '@duckdb/node-api'

/** @returns `run(sql)`: how often the canary ran; errors of the text do not matter */
export async function duckdbCanary() {
  const instance = await DuckDBInstance.create(':memory:', { enable_external_access: 'false', threads: '1' })
  const connection = await instance.connect()
  let marks = 0
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: 'canary',
      returnType: INTEGER,
      volatile: true,
      mainFunction(_info, chunk, output) {
        marks++
        for (let row = 0; row < chunk.rowCount; row++) output.setItem(row, 1)
        output.flush()
      },
    }),
  )
  return {
    dialect: 'duckdb',
    async run(sql) {
      const before = marks
      await connection.runAndReadAll(sql).catch(() => undefined)
      return marks - before
    },
    close: () => instance.closeSync(),
  }
}

/** @param Sqlite the driver's class */
export function sqliteCanary(Sqlite) {
  const db = new Sqlite(':memory:')
  let marks = 0
  db.function('canary', { varargs: true }, () => ++marks)
  return {
    dialect: 'sqlite',
    run(sql) {
      const before = marks
      try {
        // Every statement, with variables that have no value.
        db.exec(sql)
      } catch {
        // The text is none of SQLite.
      }
      return marks - before
    },
    close: () => db.close(),
  }
}

/** @param client of `pg`, connected as somebody who may create functions */
export async function postgresCanary(client) {
  await client.query(
    "CREATE OR REPLACE FUNCTION canary() RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'canary'; RETURN 1; END$$",
  )
  let marks = 0
  client.on('notice', ({ message }) => {
    if (message === 'canary') marks++
  })
  return {
    dialect: 'postgres',
    async run(sql) {
      const before = marks
      await client.query(sql).catch(() => undefined)
      return marks - before
    },
    close: () => client.end(),
  }
}

/** @param connection of `mysql2`, with several statements, in a database in which functions may be created */
export async function mysqlCanary(connection, sqlMode = '') {
  await connection.query('DROP FUNCTION IF EXISTS canary')
  await connection.query(
    'CREATE FUNCTION canary() RETURNS INT NO SQL BEGIN SET @marks = @marks + 1; RETURN 1; END',
  )
  await connection.query(`SET @marks = 0, sql_mode = '${sqlMode}'`)
  let marks = 0
  return {
    dialect: 'mysql',
    async run(sql) {
      await connection.query(sql).catch(() => undefined)
      const [[row]] = await connection.query('SELECT @marks AS n')
      const before = marks
      marks = Number(row.n)
      return marks - before
    },
    close: () => connection.end(),
  }
}
