import { statSync } from 'node:fs'
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  StatementType,
} from '@duckdb/node-api'
import { messageOf } from '../../errors.js'
import type { Catalogue, Column, QueryOutcome } from '../engine.js'
import { type ChildDriver, EngineFault, type Session } from '../protocol.js'
import { toValue } from './duckdb-value.js'
import { identifier, RowCollector } from './rows.js'
import { refusalByBeginning } from './statement.js'

const leading = {
  keywords: [
    'SELECT',
    'WITH',
    'VALUES',
    'FROM',
    'TABLE',
    'PIVOT',
    'UNPIVOT',
    'SUMMARIZE',
    'DESCRIBE',
    'SHOW',
  ],
  nestedComments: true,
}

/** Set at creation, for reading and for building. */
const confined = {
  allow_community_extensions: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_persistent_secrets: 'false',
  // One thread, so that equal queries add up floats in equal order; parallel work is parallel processes.
  threads: '1',
}

/**
 * Run before any foreign statement: no spill files beside the database, nothing outside the database file, and no way
 * to change that later. The temporary directory cannot be set at creation, nor once external access is off.
 */
const lockDown = [
  "SET temp_directory = ''",
  'SET enable_external_access = false',
  'SET lock_configuration = true',
]

/** DuckDB in the child: one instance, a connection of its own for each statement. */
export const duckdbDriver: ChildDriver = {
  async open(path: string, memoryBytes: number): Promise<Session> {
    let warehouse = await Warehouse.open(path, memoryBytes)
    const current = async () => {
      if (warehouse.outdated()) {
        warehouse.close()
        warehouse = await Warehouse.open(path, memoryBytes)
      }
      return warehouse
    }
    return {
      query: async (sql, caps) => (await current()).run(sql, caps),
      explain: async (sql) => (await current()).run(sql, undefined),
      catalogue: async () => (await current()).catalogue(),
      spent: () => warehouse.spent(),
    }
  },

  async build(script: string, target: string): Promise<void> {
    const instance = await DuckDBInstance.create(target, { ...confined, enable_external_access: 'false' })
    try {
      const connection = await instance.connect()
      await connection.run(script)
      await connection.run('CHECKPOINT')
      connection.closeSync()
    } catch (error) {
      throw new EngineFault(oneLine(messageOf(error)), error)
    } finally {
      instance.closeSync()
    }
  },
}

/** An open instance with the connection that checks it. */
class Warehouse {
  private readonly path: string
  private readonly instance: DuckDBInstance
  /** Reads all settings; its connection never runs a foreign statement. */
  private readonly settings: DuckDBPreparedStatement
  private readonly settingsAtOpen: string
  private readonly fileAtOpen: string
  private broken = false

  private constructor(
    path: string,
    instance: DuckDBInstance,
    settings: DuckDBPreparedStatement,
    atOpen: { settings: string; file: string },
  ) {
    this.path = path
    this.instance = instance
    this.settings = settings
    this.settingsAtOpen = atOpen.settings
    this.fileAtOpen = atOpen.file
  }

  static async open(path: string, memoryBytes: number): Promise<Warehouse> {
    try {
      const file = identityOf(path)
      const instance = await DuckDBInstance.create(path, {
        ...confined,
        access_mode: 'READ_ONLY',
        memory_limit: `${Math.floor(memoryBytes / 1024)}KiB`,
      })
      const guard = await instance.connect()
      for (const statement of lockDown) await guard.run(statement)
      const settings = await guard.prepare(
        "SELECT string_agg(name || '=' || value, ' ') || (SELECT count(*) FROM duckdb_logs) FROM duckdb_settings()",
      )
      return new Warehouse(path, instance, settings, { settings: await textOf(settings), file })
    } catch (error) {
      throw new EngineFault(lockHolder(messageOf(error)) ?? oneLine(messageOf(error)), error)
    }
  }

  /** Whether another file stands at the path since the instance was opened. */
  outdated(): boolean {
    return identityOf(this.path) !== this.fileAtOpen
  }

  /**
   * Whether a statement changed what later ones would see. Temporary tables, macros and types, session settings and
   * profiling end with their connection; logging can be switched on for the whole instance by a SELECT, lock or not.
   */
  async spent(): Promise<boolean> {
    if (this.broken) return true
    try {
      return (await textOf(this.settings)) !== this.settingsAtOpen
    } catch {
      return true
    }
  }

  close(): void {
    this.instance.closeSync()
  }

  /** Runs a statement; without caps it is prepared only, which resolves every name in it. */
  async run(sql: string, caps: { rows: number; bytes: number } | undefined): Promise<QueryOutcome> {
    const refusal = refusalByBeginning(sql, leading)
    if (refusal !== undefined) return { kind: 'refused', message: refusal }
    const started = performance.now()
    const connection = await this.instance.connect()
    try {
      const statement = await onlyStatement(connection, sql)
      if (statement === undefined)
        return { kind: 'refused', message: 'only a single reading statement is run' }
      const result =
        caps === undefined
          ? { columns: columnsOf(statement), rows: [], cut: null }
          : await collect(statement, caps)
      return { kind: 'rows', result, ms: performance.now() - started }
    } catch (error) {
      return this.outcomeOf(messageOf(error), error)
    } finally {
      connection.closeSync()
    }
  }

  async catalogue(): Promise<Catalogue> {
    const connection = await this.instance.connect()
    try {
      const reader = await connection.runAndReadAll(
        `SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns()
         WHERE database_name = current_database() AND NOT internal
         ORDER BY schema_name, table_name, column_index`,
      )
      const tables = new Map<string, Column[]>()
      for (const row of reader.getRows()) {
        const [schema = '', table = '', name = '', type = ''] = row.map(String)
        const qualified = schema === 'main' ? identifier(table) : `${identifier(schema)}.${identifier(table)}`
        const columns = tables.get(qualified) ?? []
        columns.push({ name, type })
        tables.set(qualified, columns)
      }
      return { tables: [...tables].map(([name, columns]) => ({ name, columns })) }
    } finally {
      connection.closeSync()
    }
  }

  private outcomeOf(message: string, cause: unknown): QueryOutcome {
    const text = oneLine(message)
    if (/^Out of Memory Error/.test(text)) return { kind: 'killed', limit: 'memory', message: text }
    if (/^IO Error/.test(text)) throw new EngineFault(text, cause)
    // DuckDB refuses all work on an instance that met one of these.
    if (/^(INTERNAL|FATAL) Error/i.test(text)) this.broken = true
    return { kind: 'failed', message: text }
  }
}

/**
 * The one reading statement of a text, ready to run; undefined where there are several or it does not only read.
 * PIVOT arrives as the creation of temporary enums followed by a SELECT; because the text itself does not begin with
 * CREATE, and the SELECT must be the last statement and the only one of its kind, nobody else's CREATE gets here.
 */
async function onlyStatement(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement | undefined> {
  const statements = await connection.extractStatements(sql)
  for (let index = 0; index < statements.count - 1; index += 1) {
    const enumeration = await statements.prepare(index)
    if (enumeration.statementType !== StatementType.CREATE) return undefined
    await enumeration.run()
  }
  const statement = await statements.prepare(statements.count - 1)
  return statement.statementType === StatementType.SELECT ? statement : undefined
}

async function collect(statement: DuckDBPreparedStatement, caps: { rows: number; bytes: number }) {
  const result = await statement.stream()
  const types = result.columnTypes()
  const columns = types.map((type, index) => ({ name: result.columnName(index), type: type.toString() }))
  const collector = new RowCollector(columns, caps)
  for (let chunk = await result.fetchChunk(); chunk !== null; chunk = await result.fetchChunk()) {
    if (chunk.rowCount === 0) break
    const vectors = types.map((type, index) => ({ type, vector: chunk.getColumnVector(index) }))
    // Row by row, because a chunk of wide cells may be many times the cap.
    for (let row = 0; row < chunk.rowCount; row += 1) {
      if (!collector.add(vectors.map(({ type, vector }) => toValue(vector.getItem(row), type)))) {
        return collector.result()
      }
    }
  }
  return collector.result()
}

function columnsOf(statement: DuckDBPreparedStatement): readonly Column[] {
  return Array.from({ length: statement.columnCount }, (_, index) => ({
    name: statement.columnName(index),
    type: statement.columnType(index).toString(),
  }))
}

async function textOf(statement: DuckDBPreparedStatement): Promise<string> {
  const reader = await statement.runAndReadAll()
  return String(reader.getRows()[0]?.[0])
}

function identityOf(path: string): string {
  const { ino, size, mtimeMs } = statSync(path)
  return `${ino}:${size}:${mtimeMs}`
}

/** DuckDB's messages end in a drawing of the statement ("LINE 1: …  ^"), which says nothing new. */
function oneLine(message: string): string {
  return (message.split('\n\nLINE ')[0] ?? message).replaceAll(/\s+/g, ' ').trim()
}

function lockHolder(message: string): string | undefined {
  const pid = /Could not set lock.*\(PID (\d+)\)/s.exec(message)?.[1]
  return pid === undefined ? undefined : `it is open for writing in another process (PID ${pid})`
}
