import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { duckdbKind } from '../../engine/file/duckdb.js'
import { openEngine } from '../../engine/open-engine.js'
import { AutotestError } from '../../errors.js'
import { type Check, note, ok, problem, problemFromError } from './check.js'
import type { DoctorEnvironment } from './environment.js'
import { loadSqlite } from './load-sqlite.js'
import { withTemporaryFolder } from './with-temporary-folder.js'

/** The oldest Node version on which everything is tested. */
const oldest = [20, 19] as const

const node: Check = {
  name: 'node',
  async run({ nodeVersion }) {
    const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
    const supported = major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
    const wanted = oldest.join('.')
    return supported
      ? ok(`${nodeVersion} (supported: ${wanted} or newer)`)
      : problem(
          `${nodeVersion} is too old: autotest needs Node ${wanted} or newer`,
          'nvm install --lts (or an installer from https://nodejs.org)',
        )
  },
}

/** SQLite stores run databases and the lock of a project: nothing runs without it. */
const sqlite: Check = {
  name: 'sqlite',
  async run() {
    const database = new (await loadSqlite())(':memory:')
    try {
      const version = database.prepare<[], string>('select sqlite_version()').pluck().get()
      return ok(`SQLite ${version}`)
    } finally {
      database.close()
    }
  },
}

/** DuckDB is opened in the process that guards queries, as in a run. */
const duckdb: Check = {
  name: 'duckdb',
  async run(surroundings) {
    const needed = await usesDuckdb(surroundings)
    try {
      return ok(`DuckDB ${await duckdbVersion()}${needed ? '' : ', not used by this project'}`)
    } catch (error) {
      const { detail: said, fix: hint } = problemFromError(error)
      // Errors name the script, which is our own.
      const detail = said.replace(/^empty\.sql: /, '')
      // If nothing can be written, this does not show whether DuckDB works.
      if (error instanceof AutotestError && error.code === 'write_failed')
        return note(`not checked: ${detail}`, hint)
      const fix = 'npm install --include=optional (where autotest is installed, on this machine)'
      return needed
        ? problem(`DuckDB cannot be loaded: ${detail}`, fix)
        : note(`DuckDB cannot be loaded; this project does not use it: ${detail}`, fix)
    }
  },
}

/** Reports whether the configuration names a DuckDB database. */
async function usesDuckdb(surroundings: DoctorEnvironment): Promise<boolean> {
  const place = await surroundings.projectLocation()
  if (place.kind !== 'project') return false
  const { engine, scoring } = place.config
  return [engine, scoring.fuzzSource].some((url) => url?.startsWith('duckdb:') === true)
}

function duckdbVersion(): Promise<string> {
  return withTemporaryFolder(async (folder) => {
    writeFileSync(join(folder, 'empty.sql'), 'SELECT 1;\n')
    const memoryBytes = 500e6
    const options = { root: folder, fixture: 'empty.sql', concurrency: 1, memoryBytes }
    const engine = await openEngine('duckdb:empty.duckdb', [duckdbKind], options)
    try {
      const limits = { timeoutMs: 10_000, rows: 1, bytes: 1000, memoryBytes }
      const outcome = await engine.query('SELECT version()', limits)
      if (outcome.kind === 'rows') return String(outcome.result.rows[0]?.[0]).replace(/^v/, '')
      throw new AutotestError('engine_unavailable', outcome.message)
    } finally {
      await engine.close()
    }
  })
}

export const nodeChecks: readonly Check[] = [node, sqlite, duckdb]
