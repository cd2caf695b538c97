import { statSync } from 'node:fs'
import { DuckDBInstance, type DuckDBPreparedStatement } from '@duckdb/node-api'
import { messageOf } from '../../../errors.js'
import type { Catalogue, QueryOutcome } from '../../contract/engine.js'
import { refusalByLeadingKeyword } from '../../query/leading-keyword-check.js'
import { quoteName, quoteText } from '../../query/quote-names.js'
import { EngineFault } from '../protocol.js'
import { readCatalogue } from './catalogue.js'
import { collectRows, columnsOf, prepareSingleSelect } from './prepare-statement.js'
import { refusalByFunction } from './refused-functions.js'

/**
 * Matches statements that could change the whole instance: names of DuckDB functions that do so, and of those
 * that run a text as SQL. Reading all settings takes longer than most queries, so it is done after these
 * only.
 */
export const instanceChangingPattern =
  /log|enable|disable|query|execute|pragma|checkpoint|profil|verif|import|copy|optimi|extension|_peg_/iu

/** After this number of statements the settings are read in any case. */
const mostUnchecked = 100

const keywords = [
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
]

/** Set at creation, for reading and for building. */
export const sandboxConfig = {
  allow_community_extensions: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_persistent_secrets: 'false',
  // One thread, so that equal queries add floats in equal order; parallel work is done by parallel processes.
  threads: '1',
}

/**
 * Run before any user statement: no spill files beside the database, nothing outside the database file, and
 * no way to change that later. The temporary directory cannot be set at creation, nor after external access
 * is off.
 */
const lockdownStatements = [
  "SET temp_directory = ''",
  'SET enable_external_access = false',
  'SET lock_configuration = true',
]

/** An open instance with the connection that checks it. */
export class DuckdbSandbox {
  private readonly path: string
  private readonly instance: DuckDBInstance
  /** Reads all settings; its connection never runs a user statement. */
  private readonly settings: DuckDBPreparedStatement
  private readonly settingsAtOpen: string
  private readonly fileAtOpen: string
  /** Executed first on each connection, if the database is not the instance's own. */
  private readonly use: string | undefined
  private broken = false
  private mayHaveChanged = false
  private sinceChecked = 0

  private constructor(
    path: string,
    instance: DuckDBInstance,
    settings: DuckDBPreparedStatement,
    atOpen: { settings: string; file: string },
    use: string | undefined,
  ) {
    this.use = use
    this.path = path
    this.instance = instance
    this.settings = settings
    this.settingsAtOpen = atOpen.settings
    this.fileAtOpen = atOpen.file
  }

  static async open(path: string, memoryBytes: number): Promise<DuckdbSandbox> {
    return DuckdbSandbox.openGuarded(path, async () =>
      DuckDBInstance.create(path, {
        ...sandboxConfig,
        access_mode: 'READ_ONLY',
        memory_limit: `${Math.floor(memoryBytes / 1024)}KiB`,
      }),
    )
  }

  /**
   * Opens a copy under the name of its original, which queries and views may use: DuckDB itself names a
   * database after its file.
   */
  static async openCopy(path: string, original: string, memoryBytes: number): Promise<DuckdbSandbox> {
    // The instance's own name, which no second database can have.
    if (original.toLowerCase() === 'memory') return DuckdbSandbox.open(path, memoryBytes)
    const name = quoteName(original)
    const open = async (): Promise<DuckDBInstance> => {
      const instance = await DuckDBInstance.create(':memory:', {
        ...sandboxConfig,
        memory_limit: `${Math.floor(memoryBytes / 1024)}KiB`,
      })
      const connection = await instance.connect()
      await connection.run(`ATTACH ${quoteText(path)} AS ${name} (READ_ONLY)`)
      connection.closeSync()
      return instance
    }
    return DuckdbSandbox.openGuarded(path, open, `USE ${name}`)
  }

  private static async openGuarded(
    path: string,
    create: () => Promise<DuckDBInstance>,
    use?: string,
  ): Promise<DuckdbSandbox> {
    try {
      const file = fileIdentity(path)
      const instance = await create()
      const guard = await instance.connect()
      for (const statement of lockdownStatements) await guard.run(statement)
      const settings = await guard.prepare(
        "SELECT string_agg(name || '=' || value, ' ') || (SELECT count(*) FROM duckdb_logs()) FROM duckdb_settings()",
      )
      return new DuckdbSandbox(path, instance, settings, { settings: await textOf(settings), file }, use)
    } catch (error) {
      throw new EngineFault(lockHolder(messageOf(error)) ?? oneLine(messageOf(error)), error)
    }
  }

  /** Reports whether the file at the path was replaced since the instance was opened. */
  isOutdated(): boolean {
    return fileIdentity(this.path) !== this.fileAtOpen
  }

  /**
   * Reports whether a statement changed what later ones would see. Temporary tables, macros and types,
   * session settings and profiling end with their connection; logging can be enabled for the whole instance
   * by a SELECT, locked or not.
   */
  async isTainted(): Promise<boolean> {
    if (this.broken) return true
    if (!this.mayHaveChanged && this.sinceChecked < mostUnchecked) return false
    this.mayHaveChanged = false
    this.sinceChecked = 0
    try {
      return (await textOf(this.settings)) !== this.settingsAtOpen
    } catch {
      // An instance that cannot read its own settings (after a log to a forbidden file) must not be used
      // again.
      return true
    }
  }

  close(): void {
    this.instance.closeSync()
  }

  /** Runs a statement; without caps it is only prepared, which resolves every name in it. */
  async run(sql: string, caps: { rows: number; bytes: number } | undefined): Promise<QueryOutcome> {
    const refusal = refusalByLeadingKeyword(sql, keywords, 'duckdb') ?? refusalByFunction(sql)
    if (refusal !== undefined) return { kind: 'refused', message: refusal }
    const started = performance.now()
    const connection = await this.instance.connect()
    if (this.use !== undefined) await connection.run(this.use)
    this.sinceChecked++
    if (instanceChangingPattern.test(sql)) this.mayHaveChanged = true
    try {
      const statement = await prepareSingleSelect(connection, sql)
      if (statement === undefined)
        return { kind: 'refused', message: 'only a single SELECT statement is allowed' }
      const result =
        caps === undefined
          ? { columns: columnsOf(statement), rows: [], cut: null }
          : await collectRows(statement, caps)
      if (caps !== undefined && this.mayHaveChanged && (await this.isTainted())) {
        this.broken = true
        return { kind: 'refused', message: 'the statement changes settings of the database' }
      }
      return { kind: 'rows', result, ms: performance.now() - started }
    } catch (error) {
      return this.outcomeOf(messageOf(error), error)
    } finally {
      connection.closeSync()
    }
  }

  /** Returns the database's name in queries: that of its file without the extension. */
  async database(): Promise<string> {
    const connection = await this.instance.connect()
    try {
      const reader = await connection.runAndReadAll('SELECT current_database()')
      return String(reader.getRows()[0]?.[0])
    } finally {
      connection.closeSync()
    }
  }

  async catalogue(): Promise<Catalogue> {
    const connection = await this.instance.connect()
    try {
      return await readCatalogue(connection)
    } finally {
      connection.closeSync()
    }
  }

  private outcomeOf(message: string, cause: unknown): QueryOutcome {
    const text = oneLine(message)
    if (/^Out of Memory Error/.test(text)) return { kind: 'killed', limit: 'memory', message: text }
    if (/^IO Error/.test(text)) throw new EngineFault(text, cause)
    // DuckDB refuses all work on an instance after one of these errors.
    if (/^(INTERNAL|FATAL) Error/i.test(text)) this.broken = true
    return { kind: 'failed', message: text }
  }
}

async function textOf(statement: DuckDBPreparedStatement): Promise<string> {
  const reader = await statement.runAndReadAll()
  return String(reader.getRows()[0]?.[0])
}

function fileIdentity(path: string): string {
  const { ino, size, mtimeMs } = statSync(path)
  return `${ino}:${size}:${mtimeMs}`
}

/**
 * Returns a message on one line. DuckDB's messages end in a drawing of the statement ("LINE 1: … ^"), which
 * adds nothing.
 */
export function oneLine(message: string): string {
  return (message.split('\n\nLINE ')[0] ?? message).replaceAll(/\s+/g, ' ').trim()
}

function lockHolder(message: string): string | undefined {
  const pid = /Could not set lock.*\(PID (\d+)\)/s.exec(message)?.[1]
  return pid === undefined ? undefined : `it is open for writing in another process (PID ${pid})`
}
