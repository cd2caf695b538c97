import { DuckDBInstance } from '@duckdb/node-api'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../src/sql/tables/load-schema.js'

export type Engine = 'sqlite' | 'duckdb'

/** Runs a query on one database. */
export type Run = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** A database in memory for each of the rows, all with the same tables. */
export async function runsOf(engine: Engine, ddl: string, data: readonly string[]): Promise<readonly Run[]> {
  return Promise.all(
    data.map(async (rows): Promise<Run> => {
      if (engine === 'sqlite') {
        const database = new Database(':memory:')
        database.exec(ddl + rows)
        return async (sql) => database.prepare(sql).raw(true).all() as unknown[][]
      }
      const connection = await (await DuckDBInstance.create(':memory:')).connect()
      await connection.run(ddl + rows)
      return async (sql) => (await connection.runAndReadAll(sql)).getRows()
    }),
  )
}

/** The rows on each database, in any order of rows and columns; undefined where the engine refuses the query. */
export async function rowsOf(runs: readonly Run[], sql: string): Promise<string | undefined> {
  try {
    const results = await Promise.all(runs.map((run) => run(sql)))
    const texts = results.map((rows) => rows.map((row) => row.map(String).sort().join(' ')).sort())
    return texts.map((rows) => rows.join('|')).join('#')
  } catch {
    return undefined
  }
}

/** The rows of a query after a script in a database of its own, each cell as text, in any order. */
export async function rowsOfScript(engine: Engine, setup: string, sql: string): Promise<readonly string[]> {
  if (engine === 'sqlite') {
    const database = new Database(':memory:')
    database.exec(setup)
    return (database.prepare(sql).raw(true).all() as unknown[][]).map((row) => row.join(' ')).sort()
  }
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(setup)
  const rows = (await connection.runAndReadAll(sql)).getRows().map((row) => row.map(String).join(' '))
  connection.closeSync()
  return rows.sort()
}

/** What a table of queries needs to be compared and run: the parser, the schema, and the data in each engine. */
export interface QuerySetting {
  readonly parser: SqlParser
  readonly schema: Schema
  readonly runs: ReadonlyMap<Engine, readonly Run[]>
}

/** @param data statements that fill the tables of `ddl`, a database each */
export async function querySetting(ddl: string, data: readonly string[]): Promise<QuerySetting> {
  const parser = await loadSqlParser()
  const runs = new Map<Engine, readonly Run[]>()
  for (const engine of ['sqlite', 'duckdb'] as const) runs.set(engine, await runsOf(engine, ddl, data))
  return { parser, schema: parseSchema(parser, ddl, 'ansi'), runs }
}
