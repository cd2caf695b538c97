import { homedir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import type { ServerSettings } from '../child/server-protocol.js'
import { readClientOptions } from './option-files.js'
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

type Parameter = BaseParameter | 'password' | 'defaults_file' | 'scratch'
type Parameters = Partial<Record<Parameter, string>>

/** What MySQL's own programs read (dev.mysql.com/doc/refman/8.4/en/environment-variables.html). */
const variables = {
  host: 'MYSQL_HOST',
  port: 'MYSQL_TCP_PORT',
  password: 'MYSQL_PWD',
} as const

/** The names of options in option files. */
const options: Readonly<Record<string, Parameter>> = {
  host: 'host',
  socket: 'host',
  port: 'port',
  user: 'user',
  password: 'password',
  database: 'dbname',
  'ssl-ca': 'sslrootcert',
  'ssl-cert': 'sslcert',
  'ssl-key': 'sslkey',
}

const form: AddressForm<Parameter> = {
  scheme: 'mysql',
  parameters: [
    'host',
    'port',
    'dbname',
    'user',
    'defaults_file',
    'sslmode',
    'sslrootcert',
    'sslcert',
    'sslkey',
    'connect_timeout',
    'scratch',
  ],
}

/**
 * Returns how to reach the server that an address names: what it leaves out comes from the `[client]` group of the option
 * file, then from the environment. Throws `config_invalid`.
 *
 * @param location what follows `mysql:`
 */
export async function mysqlSettings(
  location: string,
  root: string,
  env: Environment,
): Promise<ServerSettings> {
  const { given: address, allowSuperuser } = parseAddress<Parameter>(location, form)
  const named = address.defaults_file
  const file = named === undefined ? join(homedir(), '.my.cnf') : resolve(root, named)
  const fromFile: Parameters = {}
  for (const [name, value] of Object.entries(await readClientOptions(file, named !== undefined))) {
    const parameter = options[name]
    if (parameter !== undefined) fromFile[parameter] = value
  }
  const given: Parameters = { ...fromEnvironment<Parameter>(variables, env), ...fromFile, ...address }
  const host = given.host ?? 'localhost'
  const seconds = numberOf(form, 'connect_timeout', given.connect_timeout ?? '10', 3600)
  return {
    host,
    port: numberOf(form, 'port', given.port ?? '3306', 65_535),
    user: given.user ?? userInfo().username,
    password: given.password,
    database: given.dbname ?? '',
    tls: await tlsOf(form, given, host, root),
    connectMs: Math.max(2, seconds) * 1000,
    scratch: scratchSchemaOf(form, address.scratch, 1),
    allowSuperuser,
  }
}
