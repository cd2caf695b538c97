import { existsSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { ServerSettings } from '../child/server-protocol.js'
import { readService } from './option-files.js'
import { findPassword } from './password-file.js'
import {
  type AddressForm,
  type BaseParameter,
  type Environment,
  fromEnvironment,
  numberOf,
  parseAddress,
  scratchSchemaOf,
  tlsOf,
} from './server-address.js'

type Parameter = BaseParameter | 'password' | 'passfile' | 'service' | 'scratch'
type Parameters = Partial<Record<Parameter, string>>

/** The variable of each parameter, as libpq reads them (postgresql.org/docs/current/libpq-envars.html). */
const variables: Readonly<Record<Exclude<Parameter, 'scratch'>, string>> = {
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
}

const form: AddressForm<Parameter> = {
  scheme: 'postgres',
  parameters: [
    'host',
    'port',
    'dbname',
    'user',
    'passfile',
    'service',
    'sslmode',
    'sslrootcert',
    'sslcert',
    'sslkey',
    'connect_timeout',
    'scratch',
  ],
}

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
  const { given: address, allowSuperuser } = parseAddress<Parameter>(location, form)
  const surrounding: Parameters = fromEnvironment(variables, env)
  const service = address.service ?? surrounding.service
  const fromService: Parameters = service === undefined ? {} : await readService(service, env)
  const given: Parameters = { ...surrounding, ...fromService, ...address }
  const host = given.host ?? defaultHost(given.port ?? '5432')
  const user = given.user ?? userInfo().username
  const database = given.dbname ?? user
  const port = numberOf(form, 'port', given.port ?? '5432', 65_535)
  const seconds = numberOf(form, 'connect_timeout', given.connect_timeout ?? '10', 3600)
  const passwordFile = given.passfile ?? resolve(homedir(), '.pgpass')
  const password = given.password ?? (await findPassword(passwordFile, { host, port, database, user }))
  const tls = await tlsOf(form, given, host, root)
  return {
    host,
    port,
    user,
    password,
    database,
    tls,
    connectMs: Math.max(2, seconds) * 1000,
    scratch: scratchSchemaOf(form, address.scratch, 1),
    allowSuperuser,
  }
}

function defaultHost(port: string): string {
  return socketFolders.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? 'localhost'
}
