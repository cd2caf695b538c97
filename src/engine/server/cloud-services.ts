import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import type { ServiceCredentials, ServiceSettings } from '../child/server-protocol.js'
import type { FixedEngineKind } from '../contract/engine-kind.js'
import {
  type AddressForm,
  type BaseParameter,
  type Environment,
  invalidAddress,
  isLocal,
  numberOf,
  parseAddress,
} from './server-address.js'
import { serverKind } from './server-engine.js'
import { assertEncrypted, readNamedFile } from './service-address.js'

type Parameter =
  | BaseParameter
  | 'endpoint'
  | 'token_file'
  | 'private_key_file'
  | 'credentials_file'
  | 'warehouse'
  | 'role'
  | 'query_tag'
  | 'statement_timeout'
  | 'location'
  | 'maximum_bytes_billed'
type Given = Partial<Record<Parameter, string>>

interface CloudService {
  readonly scheme: string
  readonly dialect: Dialect
  readonly example: string
  /** Of the address, beside `endpoint`, `sslrootcert` and `connect_timeout`. */
  readonly parameters: readonly Parameter[]
  /** Which of these are passed on to the service, and which have to be there. */
  readonly passed: readonly Parameter[]
  readonly required: readonly Parameter[]
  readonly hostOf: (given: Given) => string
  /** Catalogue and schema, of the two parts of the path. */
  readonly placeOf: (given: Given, path: readonly string[]) => readonly [string, string]
  readonly userVariable: string
  readonly credentials: (given: Given, root: string, env: Environment) => Promise<ServiceCredentials>
  readonly credentialsHint: string
}

/**
 * `snowflake://user@account/database/schema?warehouse=W&role=R`, by its SQL API. Credentials are a key pair
 * (`private_key_file`, SNOWFLAKE_PRIVATE_KEY_PATH) or a token (SNOWFLAKE_TOKEN, `token_file`).
 */
export const snowflakeKind = kindOf({
  scheme: 'snowflake',
  dialect: 'snowflake',
  example: 'snowflake://user@account/database/schema',
  parameters: ['warehouse', 'role', 'query_tag', 'statement_timeout', 'private_key_file', 'token_file'],
  passed: ['warehouse', 'role', 'query_tag', 'statement_timeout'],
  required: ['host', 'warehouse'],
  hostOf: ({ host = '' }) =>
    /\.snowflakecomputing\.(?:com|cn)$/.test(host) ? host : `${host}.snowflakecomputing.com`,
  placeOf: (_given, [database = '', schema = '']) => [database, schema],
  userVariable: 'SNOWFLAKE_USER',
  async credentials(given, root, env) {
    const key = given.private_key_file ?? env['SNOWFLAKE_PRIVATE_KEY_PATH']
    const form = formOf('snowflake', 'snowflake://user@account/database/schema', [])
    if (key !== undefined && key !== '') {
      const privateKey = (await readNamedFile(form, root, 'private_key_file', key)) ?? ''
      const account = (given.host ?? '').replace(/\.snowflakecomputing\.(?:com|cn)$/, '')
      return { kind: 'key-pair', account, privateKey, passphrase: env['SNOWFLAKE_PRIVATE_KEY_PASSPHRASE'] }
    }
    return tokenFrom(given, root, env, 'SNOWFLAKE_TOKEN')
  },
  credentialsHint:
    'Set SNOWFLAKE_PRIVATE_KEY_PATH or SNOWFLAKE_TOKEN, or add private_key_file=FILE or token_file=FILE.',
})

/**
 * `bigquery://project/dataset?location=EU&maximum_bytes_billed=N`, by its REST. Credentials are those of
 * GOOGLE_APPLICATION_CREDENTIALS, or of `gcloud auth application-default login`.
 */
export const bigqueryKind = kindOf({
  scheme: 'bigquery',
  dialect: 'bigquery',
  example: 'bigquery://project/dataset',
  parameters: ['location', 'maximum_bytes_billed', 'credentials_file', 'token_file'],
  passed: ['location', 'maximum_bytes_billed'],
  required: ['host'],
  hostOf: () => 'bigquery.googleapis.com',
  placeOf: ({ host = '' }, [dataset = '']) => [host, dataset],
  userVariable: '',
  async credentials(given, root, env) {
    const form = formOf('bigquery', 'bigquery://project/dataset', [])
    const own = join(homedir(), '.config/gcloud/application_default_credentials.json')
    const named = given.credentials_file ?? env['GOOGLE_APPLICATION_CREDENTIALS']
    const token = tokenFrom(given, root, env, 'BIGQUERY_TOKEN')
    if (named === undefined && token.kind !== 'none') return token
    const path = named ?? (existsSync(own) ? own : undefined)
    const file = await readNamedFile(form, root, 'credentials_file', path)
    return file === undefined ? token : { kind: 'google', file }
  },
  credentialsHint:
    'Set GOOGLE_APPLICATION_CREDENTIALS to a credentials file, or run gcloud auth application-default login.',
})

/**
 * `databricks://host/catalogue/schema?warehouse=ID`, by its statement execution. Credentials are DATABRICKS_TOKEN, or
 * DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET of a service principal.
 */
export const databricksKind = kindOf({
  scheme: 'databricks',
  dialect: 'spark',
  example: 'databricks://host/catalogue/schema',
  parameters: ['warehouse', 'token_file'],
  passed: ['warehouse'],
  required: ['host', 'warehouse'],
  hostOf: ({ host = '' }) => host,
  placeOf: (_given, [catalog = '', schema = '']) => [catalog, schema],
  userVariable: '',
  async credentials(given, root, env) {
    const { DATABRICKS_CLIENT_ID: id = '', DATABRICKS_CLIENT_SECRET: secret = '' } = env
    if (id !== '' && secret !== '' && given.token_file === undefined) return { kind: 'client', id, secret }
    return tokenFrom(given, root, env, 'DATABRICKS_TOKEN')
  },
  credentialsHint: 'Set DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET.',
})

function kindOf(service: CloudService): FixedEngineKind {
  return serverKind({
    scheme: service.scheme,
    isCharged: true,
    dialect: service.dialect,
    settingsOf: (location, root, env) => settingsOf(service, location, root, env),
    shownUrl: ({ origin, catalog, schema }) =>
      `${service.scheme}://${[new URL(origin).host, catalog, schema].filter((part) => part !== '').join('/')}`,
  })
}

function formOf(scheme: string, example: string, parameters: readonly Parameter[]): AddressForm<Parameter> {
  return { scheme, example, parameters: [...parameters, 'endpoint', 'sslrootcert', 'connect_timeout'] }
}

/** Throws `config_invalid`. */
async function settingsOf(
  service: CloudService,
  location: string,
  root: string,
  env: Environment,
): Promise<ServiceSettings> {
  const form = formOf(service.scheme, service.example, service.parameters)
  const { given } = parseAddress<Parameter>(location, form)
  const missing = service.required.find((name) => (given[name] ?? '') === '')
  if (missing !== undefined)
    throw invalidAddress(form, `${missing === 'host' ? 'the first part of the address' : missing} is missing`)
  for (const name of ['statement_timeout', 'maximum_bytes_billed'] as const) {
    const value = given[name]
    if (value !== undefined) numberOf(form, name, value, Number.MAX_SAFE_INTEGER)
  }
  const origin = originOf(form, service.hostOf(given), given.endpoint)
  const credentials = await service.credentials(given, root, env)
  if (credentials.kind === 'none')
    throw new AutotestError('config_invalid', `engine ${service.scheme}: there are no credentials`, {
      hint: service.credentialsHint,
    })
  assertEncrypted(form, origin, credentials)
  const [catalog, schema] = service.placeOf(given, (given.dbname ?? '').split('/'))
  return {
    origin,
    user: given.user ?? env[service.userVariable] ?? '',
    credentials,
    catalog,
    schema,
    options: Object.fromEntries(
      service.passed.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
    ),
    ca: await readNamedFile(form, root, 'sslrootcert', given.sslrootcert),
    connectMs: Math.max(2, numberOf(form, 'connect_timeout', given.connect_timeout ?? '10', 3600)) * 1000,
  }
}

/** A private endpoint or a proxy may stand in place of the service's own address. */
function originOf(form: AddressForm<string>, host: string, endpoint: string | undefined): string {
  const text = endpoint ?? `https://${host}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidAddress(form, `${text} is no address`)
  if (url.protocol === 'http:' && !isLocal(url.hostname))
    throw invalidAddress(form, 'endpoint must begin with https')
  return url.origin
}

function tokenFrom(given: Given, root: string, env: Environment, variable: string): ServiceCredentials {
  if (given.token_file !== undefined) return { kind: 'token-file', path: resolve(root, given.token_file) }
  const token = env[variable] ?? ''
  return token === '' ? { kind: 'none' } : { kind: 'token', token }
}
