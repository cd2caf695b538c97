import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { ServiceCredentials, ServiceSettings } from '../child/server-protocol.js'
import type { FixedEngineKind } from '../contract/engine-kind.js'
import {
  type AddressForm,
  type BaseParameter,
  type Environment,
  numberOf,
  parseAddress,
  scratchSchemaOf,
} from './server-address.js'
import { serverKind } from './server-engine.js'
import { assertEncrypted, originOf, readNamedFile } from './service-address.js'

type Parameter = BaseParameter | 'token_file' | 'scratch'

/**
 * `trino://user@host:port/catalogue/schema?sslrootcert=FILE`. The password is TRINO_PASSWORD, as for Trino's own command
 * line, a token TRINO_TOKEN or in `token_file`; neither is in the address.
 */
export const trinoKind = kindOf('trino')

/** The same with the headers of Presto. */
export const prestoKind = kindOf('presto')

function kindOf(scheme: 'trino' | 'presto'): FixedEngineKind {
  return serverKind({
    scheme,
    dialect: scheme,
    settingsOf: (location, root, env) => settingsOf(scheme, location, root, env),
    shownUrl: ({ origin, user, catalog, schema }) =>
      `${scheme}://${encodeURIComponent(user)}@${new URL(origin).host}/${[catalog, schema].filter((name) => name !== '').join('/')}`,
  })
}

/** Throws `config_invalid`. */
async function settingsOf(
  scheme: string,
  location: string,
  root: string,
  env: Environment,
): Promise<ServiceSettings> {
  const form: AddressForm<Parameter> = {
    scheme,
    parameters: [
      'host',
      'port',
      'dbname',
      'user',
      'sslmode',
      'sslrootcert',
      'connect_timeout',
      'token_file',
      'scratch',
    ],
    example: `${scheme}://user@host:8080/catalogue/schema`,
  }
  const { given } = parseAddress<Parameter>(location, form)
  const prefix = scheme.toUpperCase()
  const [catalog = '', schema = ''] = (given.dbname ?? '').split('/')
  const origin = originOf(form, { ...given, host: given.host ?? 'localhost' })
  const credentials = credentialsOf(given.token_file, root, env, prefix)
  assertEncrypted(form, origin, credentials)
  return {
    origin,
    user: given.user ?? env[`${prefix}_USER`] ?? userInfo().username,
    credentials,
    catalog,
    schema,
    options: {},
    ca: await readNamedFile(form, root, 'sslrootcert', given.sslrootcert),
    connectMs: Math.max(2, numberOf(form, 'connect_timeout', given.connect_timeout ?? '10', 3600)) * 1000,
    scratch: scratchSchemaOf(form, given.scratch, 2),
  }
}

function credentialsOf(
  file: string | undefined,
  root: string,
  env: Environment,
  prefix: string,
): ServiceCredentials {
  if (file !== undefined) return { kind: 'token-file', path: resolve(root, file) }
  const token = env[`${prefix}_TOKEN`] ?? ''
  if (token !== '') return { kind: 'token', token }
  const password = env[`${prefix}_PASSWORD`] ?? ''
  return password === '' ? { kind: 'none' } : { kind: 'password', password }
}
