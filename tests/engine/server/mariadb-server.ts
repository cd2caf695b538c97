import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { needing } from '../../needs.js'
import { freePort, unprivileged } from './unprivileged.js'

/** A server of its own, with a user `reader`, whose password is its name and who may SELECT from the database `shop`. */
export interface MariaDbServer {
  readonly port: number
  readonly folder: string
  /** Runs statements as root. */
  run(statements: readonly string[], database?: string): Promise<void>
  /** Returns how many sessions of a user are open. */
  sessions(user: string): Promise<number>
  /** Returns how many connections were gone without being ended. */
  abortedClients(): Promise<number>
  address(parameters?: { user?: string; database?: string; query?: string }): string
  stop(): void
}

// An ordinary user's path may leave out the folder of servers.
const daemon = ['mariadbd', '/usr/sbin/mariadbd'].find((each) => spawnSync(each, ['--version']).status === 0)

export const needsMariaDb = needing(
  'MySQL and MariaDB',
  daemon === undefined ? 'no mariadbd is installed' : undefined,
)

/** Returns undefined where MariaDB is not installed. */
export async function startMariaDb(): Promise<MariaDbServer | undefined> {
  if (daemon === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'autotest-mariadb-'))
  const owner = unprivileged()
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = `--datadir=${join(folder, 'data')}`
  const own = { cwd: folder, ...owner }
  const install = spawnSync(
    'mariadb-install-db',
    ['--no-defaults', data, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { ...own, encoding: 'utf8' },
  )
  if (install.status !== 0) throw new Error(`mariadb-install-db: ${install.stdout}${install.stderr}`)
  const port = await freePort()
  const socket = join(folder, 's')
  const log = openSync(join(folder, 'log'), 'a')
  const flags = [
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--socket=${socket}`,
    '--skip-log-bin',
    '--skip-name-resolve',
  ]
  const small = [
    '--innodb-buffer-pool-size=32M',
    '--innodb-flush-log-at-trx-commit=0',
    '--character-set-server=utf8mb4',
  ]
  const child = spawn(daemon, ['--no-defaults', data, ...flags, ...small], {
    ...own,
    stdio: ['ignore', log, log],
  })
  /** Returns the `n` of the first row. */
  const numberOf = async (sql: string, values: readonly string[] = []): Promise<number> => {
    const connection = await createConnection({ socketPath: socket, user: 'root' })
    try {
      const [[row]] = (await connection.query(sql, [...values])) as never as [[{ n: number | string }]]
      return Number(row.n)
    } finally {
      await connection.end()
    }
  }
  const server: MariaDbServer = {
    port,
    folder,
    async run(statements, database) {
      const connection = await createConnection({
        socketPath: socket,
        user: 'root',
        ...(database ? { database } : {}),
      })
      try {
        for (const each of statements) await connection.query(each)
      } finally {
        await connection.end()
      }
    },
    sessions: (user) =>
      numberOf('SELECT count(*) AS n FROM information_schema.processlist WHERE user = ?', [user]),
    abortedClients: () =>
      numberOf(
        "SELECT variable_value AS n FROM information_schema.global_status WHERE variable_name = 'ABORTED_CLIENTS'",
      ),
    address: ({ user = 'reader', database = 'shop', query = '' } = {}) =>
      `//${user}@127.0.0.1:${port}/${database}${query}`,
    stop() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
  for (let left = 150; ; left--) {
    try {
      await server.run(['SELECT 1'])
      break
    } catch (error) {
      if (left === 0 || child.exitCode !== null)
        throw new Error(readFileSync(join(folder, 'log'), 'utf8'), { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  await server.run([
    'CREATE DATABASE shop',
    "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'reader'",
    "GRANT SELECT, SHOW VIEW ON shop.* TO reader@'127.0.0.1'",
  ])
  return server
}
