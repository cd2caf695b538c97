import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { postgresKind } from '../../../src/engine/server/postgres.js'
import { needing } from '../../needs.js'
import { freePort, unprivileged } from './unprivileged.js'

/** A server of its own, with a superuser `postgres` and a role `reader`; their passwords are their names. */
export interface PostgresServer {
  readonly port: number
  readonly folder: string
  /** Runs SQL as the superuser. */
  run(sql: string, database?: string): Promise<void>
  /** Returns the first column of what SQL gives the superuser. */
  texts(sql: string, database?: string): Promise<string[]>
  /** Returns how many sessions of a role are open. */
  sessions(role: string): Promise<number>
  address(parameters?: { role?: string; database?: string; query?: string }): string
  /** Offers TLS with a certificate, PEM. */
  useCertificate(key: Buffer, certificate: Buffer): Promise<void>
  stop(): void
}

/** The programs of the newest PostgreSQL; undefined without one. */
export const binaries = findBinaries()

export const needsPostgres = needing(
  'PostgreSQL',
  binaries === undefined ? 'no server is installed in /usr/lib/postgresql' : undefined,
)

/** Returns undefined where PostgreSQL is not installed. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer | undefined> {
  if (binaries === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'autotest-postgres-'))
  const owner = unprivileged()
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  const password = join(folder, 'password')
  writeFileSync(password, 'postgres\n')
  if (owner !== undefined) chownSync(password, owner.uid, owner.gid)
  const port = await freePort()
  const data = join(folder, 'data')
  const run = (program: string, args: readonly string[]): void => {
    execFileSync(join(binaries, program), args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...owner,
    })
  }
  const auth = ['--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${password}`]
  run('initdb', ['-D', data, '-U', 'postgres', ...auth, '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'])
  const quick = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    listen_addresses: '127.0.0.1',
  }
  const options = Object.entries({ ...quick, ...settings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
  const log = join(folder, 'log')
  const start = (): void =>
    run('pg_ctl', [
      '-D',
      data,
      '-l',
      log,
      '-w',
      '-t',
      '30',
      '-o',
      `-p ${port} -k ${folder} ${options}`,
      'start',
    ])
  const stop = (): void => {
    spawnSync(join(binaries, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-w', 'stop'], {
      cwd: folder,
      ...owner,
    })
  }
  start()
  const server: PostgresServer = {
    port,
    folder,
    async run(sql, database = 'postgres') {
      await as(port, database, (client) => client.query(sql))
    },
    sessions: (role) =>
      as(port, 'postgres', async (client) => {
        const { rows } = await client.query(
          'SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = $1',
          [role],
        )
        return rows[0].n
      }),
    texts: (sql, database = 'postgres') =>
      as(port, database, async (client) => {
        const { rows } = await client.query({ text: sql, rowMode: 'array' })
        return rows.map(([text]) => String(text))
      }),
    address: ({ role = 'reader', database = 'postgres', query = '' } = {}) =>
      `//${role}@127.0.0.1:${port}/${database}${query}`,
    async useCertificate(key, certificate) {
      for (const [name, bytes] of [
        ['server.key', key],
        ['server.crt', certificate],
      ] as const) {
        const file = join(data, name)
        rmSync(file, { force: true })
        writeFileSync(file, bytes, { mode: 0o600 })
        if (owner !== undefined) chownSync(file, owner.uid, owner.gid)
      }
      await server.run('ALTER SYSTEM SET ssl = on')
      await server.run('SELECT pg_reload_conf()')
    },
    stop() {
      stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.run("CREATE ROLE reader LOGIN PASSWORD 'reader'")
  return server
}

/** Opens a database of a server as its reader, whose password has to be in the environment. */
export function openAsReader(server: PostgresServer, database: string, query = ''): Promise<Engine> {
  const options = { root: '/', concurrency: 4, memoryBytes: 400_000_000 }
  return postgresKind.open(server.address({ database, query }), options)
}

async function as<Result>(
  port: number,
  database: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password: 'postgres', database })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function findBinaries(): string | undefined {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return undefined
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions
    .map((version) => join(root, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
}
