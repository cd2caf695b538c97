import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { resolve } from 'node:path'
import { AutotestError } from '../../errors.js'
import type { ServerSettings, TlsSettings } from '../child/server-protocol.js'
import { findPassword } from './password-file.js'
import { readService } from './service-file.js'

type Environment = Readonly<Record<string, string | undefined>>

/** The variable of each parameter, as libpq reads them (postgresql.org/docs/current/libpq-envars.html). */
const variables = {
  host: 'PGHOST',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  passfile: 'PGPASSFILE',
  service: 'PGSERVICE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  connect_timeout: 'PGCONNECT_TIMEOUT',
} as const

type Parameter = keyof typeof variables
type Parameters = Partial<Record<Parameter, string>>

const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** Where servers of Debian, and of others, put their socket. */
const socketFolders = ['/var/run/postgresql', '/tmp']

/**
 * Returns how to reach the server that an address names: what it leaves out comes from the service, then from the
 * environment, then from libpq's defaults. Throws `config_invalid`.
 *
 * @param location what follows `postgres:`
 */
export async function postgresSettings(
  location: string,
  root: string,
  env: Environment,
): Promise<ServerSettings> {
  const { parameters, allowSuperuser } = parametersOf(location)
  const fromEnvironment: Parameters = Object.fromEntries(
    Object.entries(variables).flatMap(([name, variable]) => {
      const value = env[variable]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
  const service = parameters.service ?? fromEnvironment.service
  const fromService: Parameters = service === undefined ? {} : await readService(service, env)
  const given: Parameters = { ...fromEnvironment, ...fromService, ...parameters }
  const host = given.host ?? defaultHost(given.port ?? '5432')
  const user = given.user ?? userInfo().username
  const database = given.dbname ?? user
  const port = numberOf('port', given.port ?? '5432', 65_535)
  const seconds = numberOf('connect_timeout', given.connect_timeout ?? '10', 3600)
  const passwordFile = given.passfile ?? resolve(homedir(), '.pgpass')
  const password = given.password ?? (await findPassword(passwordFile, { host, port, database, user }))
  return {
    host,
    port,
    user,
    password,
    database,
    tls: await tlsOf(given, host, root),
    connectMs: Math.max(2, seconds) * 1000,
    allowSuperuser,
  }
}

function parametersOf(location: string): {
  readonly parameters: Parameters
  readonly allowSuperuser: boolean
} {
  // A host may be absent, which URL does not accept for schemes like this.
  const text = location.startsWith('//') ? location : `//${location}`
  const match = /^\/\/(?:([^@/?#]*)@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d*))?(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(
    text,
  )
  if (match === null) throw invalid('the address cannot be read')
  const [, user, host, port, database, query = ''] = match
  const parameters: Parameters = {}
  let allowSuperuser = false
  const set = (name: Parameter, value: string | undefined): void => {
    if (value !== undefined && value !== '') parameters[name] = decoded(value)
  }
  set('user', user)
  set('host', host?.replace(/^\[|\]$/g, ''))
  set('port', port)
  set('dbname', database)
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'allow_superuser' && /^(?:true|false)$/.test(value)) allowSuperuser = value === 'true'
    else if (name === 'allow_superuser') throw invalid(`allow_superuser is true or false, not ${value}`)
    else if (Object.hasOwn(variables, name)) parameters[name as Parameter] = value
    else throw invalid(`the parameter ${name} is unknown`)
  }
  return { parameters, allowSuperuser }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw invalid('a % in it is no escape: write it as %25')
  }
}

function defaultHost(port: string): string {
  return socketFolders.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? 'localhost'
}

function numberOf(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw invalid(`${name} is a number up to ${most}, not ${JSON.stringify(text)}`)
  return value
}

async function tlsOf(given: Parameters, host: string, root: string): Promise<TlsSettings> {
  const asked = given.sslmode === 'allow' ? 'prefer' : given.sslmode
  const mode = asked ?? (isLocal(host) ? 'disable' : 'prefer')
  if (!(modes as readonly string[]).includes(mode))
    throw invalid(`sslmode is one of ${modes.join(', ')}, not ${JSON.stringify(mode)}`)
  const [ca, certificate, key] = await Promise.all(
    (['sslrootcert', 'sslcert', 'sslkey'] as const).map(async (name) => {
      const path = given[name]
      if (path === undefined || (name === 'sslrootcert' && path === 'system')) return undefined
      try {
        return await readFile(resolve(root, path), 'utf8')
      } catch (error) {
        throw new AutotestError('config_invalid', `engine postgres: ${name} ${path} cannot be read`, {
          hint: `Correct the path; it is relative to ${root}.`,
          cause: error,
        })
      }
    }),
  )
  return { mode: mode as TlsSettings['mode'], ca, certificate, key }
}

function isLocal(host: string): boolean {
  return host.startsWith('/') || /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)
}

function invalid(problem: string): AutotestError {
  return new AutotestError('config_invalid', `engine postgres: ${problem}`, {
    hint: `Write it as postgres://user@host:5432/database, with ?${Object.keys(variables).slice(5).join('=…, ')}=… or allow_superuser=true.`,
  })
}
