import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { needing } from '../../needs.js'
import { binaries, needsPostgres, type PostgresServer } from './postgres-server.js'
import { freePort, unprivileged } from './unprivileged.js'

/** What stands beside a PostgreSQL, and ends with its test. */
export interface Relative {
  readonly port: number
  stop(): void
}

/** Starts a replica that waits for nobody: what the primary removes ends the queries that read it. */
export async function startReplica({ folder, port: primary }: PostgresServer): Promise<Relative> {
  if (binaries === undefined) throw new Error('no PostgreSQL')
  const owner = unprivileged()
  const data = join(folder, 'replica')
  const port = await freePort()
  const run = (program: string, args: readonly string[]): void => {
    const env = { ...process.env, PGPASSWORD: 'postgres' }
    execFileSync(join(binaries ?? '', program), args, { cwd: folder, env, stdio: 'ignore', ...owner })
  }
  run('pg_basebackup', [
    '-D',
    data,
    '-h',
    '127.0.0.1',
    '-p',
    String(primary),
    '-U',
    'postgres',
    '-R',
    '-c',
    'fast',
  ])
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_standby_streaming_delay=0`
  run('pg_ctl', ['-D', data, '-l', join(folder, 'replica.log'), '-w', '-o', options, 'start'])
  return {
    port,
    stop: () =>
      void spawnSync(join(binaries ?? '', 'pg_ctl'), ['-D', data, '-m', 'immediate', '-w', 'stop'], {
        cwd: folder,
        ...owner,
      }),
  }
}

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path))

const poolerProblem = pgbouncer === undefined ? 'no pgbouncer is installed' : undefined
export const needsPooler =
  binaries === undefined ? needsPostgres : needing('a pooler of PostgreSQL', poolerProblem)

/** Starts a pooler in transaction mode with two connections; returns undefined where PgBouncer is not installed. */
export async function startPooler({ folder, port: server }: PostgresServer): Promise<Relative | undefined> {
  if (pgbouncer === undefined) return undefined
  const owner = unprivileged()
  const own = join(folder, 'pooler')
  mkdirSync(own)
  const port = await freePort()
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${join(own, 'users')}`,
    'pool_mode = transaction',
    'default_pool_size = 2',
  ]
  writeFileSync(join(own, 'settings'), `${settings.join('\n')}\n`)
  writeFileSync(join(own, 'users'), '"reader" "reader"\n')
  if (owner !== undefined)
    for (const path of [own, join(own, 'settings'), join(own, 'users')]) chownSync(path, owner.uid, owner.gid)
  const child = spawn(pgbouncer, [join(own, 'settings')], { cwd: own, stdio: 'ignore', ...owner })
  for (let waited = 0; !(await answers(port)); waited++) {
    if (waited === 100) throw new Error('the pooler does not start')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { port, stop: () => void child.kill('SIGKILL') }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })
}
