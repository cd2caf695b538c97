import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { AutotestError } from '../errors.js'
import { readRegularFile } from '../platform/read-regular-file.js'
import { parseYaml } from '../snapshot/yaml.js'

type Environment = Readonly<Record<string, string | undefined>>

/** A database as a profile of dbt names it: its address, and what its engine reads from the environment. */
export interface ProfileEngine {
  readonly engine: string
  /** Passwords, tokens and the like, by the variables that the engine knows. */
  readonly env: Readonly<Record<string, string>>
}

const profileSchema = z.looseObject({
  target: z.string().optional(),
  outputs: z.record(z.string(), z.record(z.string(), z.unknown())),
})

/** The keys of one output, as text. */
type Output = Readonly<Record<string, string | undefined>>

/** How each type of dbt's adapters is written as an engine (docs.getdbt.com/docs/core/connect-data-platform, read 2026-11). */
const adapters: Readonly<Record<string, (output: Output) => ProfileEngine>> = {
  postgres: (output) => postgres(output),
  redshift: (output) => postgres(output),
  mysql: (output) => mysql(output),
  mysql5: (output) => mysql(output),
  mariadb: (output) => mysql(output),
  trino: ({
    host,
    port,
    user,
    database,
    catalog,
    schema,
    http_scheme: scheme,
    password,
    jwt_token: token,
  }) => ({
    engine: `trino:${place(user, host, port)}/${path([database ?? catalog, schema])}${query({ sslmode: scheme === 'http' ? 'disable' : undefined })}`,
    env: variables({ TRINO_PASSWORD: password, TRINO_TOKEN: token }),
  }),
  snowflake: (output) => {
    const { account, user, database, schema, warehouse, role, query_tag: tag, token } = output
    const { private_key_path: key, private_key_passphrase: passphrase } = output
    const options = { warehouse, role, query_tag: tag, private_key_file: key }
    return {
      engine: `snowflake:${place(user, account, undefined)}/${path([database, schema])}${query(options)}`,
      env: variables({ SNOWFLAKE_PRIVATE_KEY_PASSPHRASE: passphrase, SNOWFLAKE_TOKEN: token }),
    }
  },
  bigquery: ({
    project,
    database,
    dataset,
    schema,
    location,
    keyfile,
    maximum_bytes_billed: most,
    token,
  }) => ({
    engine: `bigquery://${path([project ?? database, dataset ?? schema])}${query({ location, maximum_bytes_billed: most, credentials_file: keyfile })}`,
    env: variables({ BIGQUERY_TOKEN: token }),
  }),
  databricks: ({ host, http_path: http, catalog, schema, token, client_id: id, client_secret: secret }) => ({
    engine: `databricks:${place(undefined, host, undefined)}/${path([catalog, schema])}${query({ warehouse: http?.split('/').at(-1) })}`,
    env: variables({ DATABRICKS_TOKEN: token, DATABRICKS_CLIENT_ID: id, DATABRICKS_CLIENT_SECRET: secret }),
  }),
  duckdb: ({ path: file = '' }) => ({ engine: `duckdb:${file}`, env: {} }),
  sqlite: ({ path: file = '' }) => ({ engine: `sqlite:${file}`, env: {} }),
}

/**
 * Reads `dbt:PROFILE` or `dbt:PROFILE/TARGET` from profiles.yml: that of DBT_PROFILES_DIR, of the project, or of `~/.dbt`.
 * Throws `config_invalid`.
 */
export async function readDbtProfile(name: string, root: string, env: Environment): Promise<ProfileEngine> {
  const { file, bytes } = await profilesFile(root, env)
  const { data } = parseYaml(bytes, file, { code: 'config_invalid' })
  const [profileName = '', given] = name.split('/')
  const profiles = (data ?? {}) as Readonly<Record<string, unknown>>
  if (!Object.hasOwn(profiles, profileName))
    throw invalid(
      `${file} has no profile ${profileName}`,
      `It has ${Object.keys(profiles)
        .filter((key) => key !== 'config')
        .join(', ')}.`,
    )
  const parsed = profileSchema.safeParse(profiles[profileName])
  if (!parsed.success)
    throw invalid(`the profile ${profileName} of ${file} has no outputs`, 'See docs.getdbt.com.')
  const { outputs } = parsed.data
  const target = given ?? rendered(parsed.data.target ?? 'default', file, env)
  if (!Object.hasOwn(outputs, target))
    throw invalid(
      `the profile ${profileName} of ${file} has no target ${target}`,
      `It has ${Object.keys(outputs).join(', ')}.`,
    )
  const texts = Object.entries(outputs[target] ?? {}).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [[key, rendered(String(value), file, env)] as const]
      : [],
  )
  const output: Output = Object.fromEntries(texts)
  const type = output['type'] ?? ''
  const adapter = Object.hasOwn(adapters, type) ? adapters[type] : undefined
  if (adapter === undefined)
    throw invalid(
      `the target ${target} of ${file} has the type ${type || '(none)'}`,
      `Known are ${Object.keys(adapters).join(', ')}.`,
    )
  return adapter(output)
}

async function profilesFile(
  root: string,
  env: Environment,
): Promise<{ readonly file: string; readonly bytes: Uint8Array }> {
  const named = env['DBT_PROFILES_DIR']
  const folders = named === undefined || named === '' ? [root, join(homedir(), '.dbt')] : [named]
  for (const folder of folders) {
    const file = join(folder, 'profiles.yml')
    const bytes = await readRegularFile(file).catch(() => undefined)
    if (bytes !== undefined) return { file, bytes }
  }
  throw invalid(`no profiles.yml in ${folders.join(' or ')}`, 'Set DBT_PROFILES_DIR to its folder.')
}

/** Returns a text with `{{ env_var('NAME', 'default') }}` filled in, which is all of Jinja that profiles need. */
function rendered(text: string, file: string, env: Environment): string {
  const filled = text.replaceAll(
    /\{\{\s*env_var\(\s*(['"])(\w+)\1\s*(?:,\s*(['"])(.*?)\3\s*)?\)\s*(?:\|\s*(?:int|as_number|string|as_text)\s*)?\}\}/g,
    (_all, _quote, name: string, _other, fallback: string | undefined) => {
      const value = env[name] ?? fallback
      if (value === undefined)
        throw invalid(`${file}: the environment variable ${name} is not set`, `Set ${name}.`)
      return value
    },
  )
  if (/\{[{%]/.test(filled))
    throw invalid(
      `${file}: an expression is not known: ${filled.slice(filled.search(/\{[{%]/), 60)}`,
      "Known is {{ env_var('NAME', 'default') }}.",
    )
  return filled
}

function postgres(output: Output): ProfileEngine {
  const { user, host, port, dbname, database, password, pass, sslmode, sslrootcert } = output
  return {
    engine: `postgres:${place(user, host, port)}/${path([dbname ?? database])}${query({ sslmode, sslrootcert })}`,
    env: variables({ PGPASSWORD: password ?? pass }),
  }
}

function mysql({ username, user, server, host, port, database, schema, password }: Output): ProfileEngine {
  return {
    engine: `mysql:${place(username ?? user, server ?? host, port)}/${path([database ?? schema])}`,
    env: variables({ MYSQL_PWD: password }),
  }
}

function place(user: string | undefined, host = '', port: string | undefined): string {
  const name = user === undefined ? '' : `${encodeURIComponent(user)}@`
  return `//${name}${host.replace(/^https?:\/\//, '')}${port === undefined ? '' : `:${port}`}`
}

function path(parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => (part === undefined ? [] : [encodeURIComponent(part)])).join('/')
}

function query(parameters: Output): string {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

function variables(values: Output): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function invalid(problem: string, hint: string): AutotestError {
  return new AutotestError('config_invalid', problem, { hint })
}
