import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AutotestError } from '../../errors.js'
import type { TlsSettings } from '../child/server-protocol.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** How a scheme writes its addresses. */
export interface AddressForm<Parameter extends string> {
  readonly scheme: string
  /** What may follow the question mark, beside `allow_superuser`. */
  readonly parameters: readonly Parameter[]
  /** An address of the kind, where it is not `scheme://user@host/database`; its users have no rights to be checked. */
  readonly example?: string
}

export type BaseParameter =
  | 'host'
  | 'port'
  | 'dbname'
  | 'user'
  | 'sslmode'
  | 'sslrootcert'
  | 'sslcert'
  | 'sslkey'
  | 'connect_timeout'

export interface ParsedAddress<Parameter extends string> {
  readonly given: Partial<Record<Parameter, string>>
  readonly allowSuperuser: boolean
}

const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** Reads `//user@host:port/database?parameter=value`, each part optional. Throws `config_invalid`. */
export function parseAddress<Parameter extends string>(
  location: string,
  form: AddressForm<Parameter | BaseParameter>,
): ParsedAddress<Parameter | BaseParameter> {
  // A host may be absent, which URL does not accept for schemes like this.
  const text = location.startsWith('//') ? location : `//${location}`
  const match = /^\/\/(?:([^@/?#]*)@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d*))?(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(
    text,
  )
  if (match === null) throw invalidAddress(form, 'the address cannot be read')
  const [, user, host, port, dbname, query = ''] = match
  const given: Partial<Record<Parameter | BaseParameter, string>> = {}
  const parts = { user, host: host?.replace(/^\[|\]$/g, ''), port, dbname }
  for (const [name, value] of Object.entries(parts))
    if (value !== undefined && value !== '') given[name as BaseParameter] = decoded(value, form)
  let allowSuperuser = false
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'allow_superuser' && form.example === undefined && /^(?:true|false)$/.test(value))
      allowSuperuser = value === 'true'
    else if (name === 'allow_superuser' && form.example === undefined)
      throw invalidAddress(form, `allow_superuser is true or false, not ${value}`)
    else if ((form.parameters as readonly string[]).includes(name)) given[name as Parameter] = value
    else throw invalidAddress(form, `the parameter ${name} is unknown`)
  }
  return { given, allowSuperuser }
}

function decoded(value: string, form: AddressForm<string>): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw invalidAddress(form, 'a % in it is no escape: write it as %25')
  }
}

/** Returns the schema for copies, of at most so many parts. Throws `config_invalid`. */
export function scratchSchemaOf(
  form: AddressForm<string>,
  value: string | undefined,
  parts: 1 | 2,
): string | undefined {
  if (value === undefined) return undefined
  const names = value.split('.')
  if (names.length > parts || names.some((name) => !/^[\p{L}_][\p{L}\p{N}_$-]*$/u.test(name)))
    throw invalidAddress(
      form,
      `scratch is the name of a schema${parts === 2 ? ', or of a catalogue and a schema' : ''}, not ${JSON.stringify(value)}`,
    )
  return value
}

export function numberOf(form: AddressForm<string>, name: string, text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw invalidAddress(form, `${name} is a number up to ${most}, not ${JSON.stringify(text)}`)
  return value
}

/** Returns how to encrypt; files are relative to the root. Without a mode a server of this machine is not asked to. */
export async function tlsOf(
  form: AddressForm<string>,
  given: Partial<Record<BaseParameter, string>>,
  host: string,
  root: string,
): Promise<TlsSettings> {
  const asked = given.sslmode === 'allow' ? 'prefer' : given.sslmode
  const mode = asked ?? (isLocal(host) ? 'disable' : 'prefer')
  if (!(modes as readonly string[]).includes(mode))
    throw invalidAddress(form, `sslmode is one of ${modes.join(', ')}, not ${JSON.stringify(mode)}`)
  const [ca, certificate, key] = await Promise.all(
    (['sslrootcert', 'sslcert', 'sslkey'] as const).map(async (name) => {
      const path = given[name]
      if (path === undefined || (name === 'sslrootcert' && path === 'system')) return undefined
      try {
        return await readFile(resolve(root, path), 'utf8')
      } catch (error) {
        throw new AutotestError('config_invalid', `engine ${form.scheme}: ${name} ${path} cannot be read`, {
          hint: `Correct the path; it is relative to ${root}.`,
          cause: error,
        })
      }
    }),
  )
  return { mode: mode as TlsSettings['mode'], ca, certificate, key }
}

export function isLocal(host: string): boolean {
  return host.startsWith('/') || /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)
}

/** Returns the values of variables that are set. */
export function fromEnvironment<Parameter extends string>(
  variables: Readonly<Partial<Record<Parameter, string>>>,
  env: Environment,
): Partial<Record<Parameter, string>> {
  const found: Partial<Record<Parameter, string>> = {}
  for (const [name, variable] of Object.entries(variables)) {
    const value = env[String(variable)]
    if (value !== undefined && value !== '') found[name as Parameter] = value
  }
  return found
}

export function invalidAddress(
  { scheme, parameters, example }: AddressForm<string>,
  problem: string,
): AutotestError {
  const parts = ['host', 'port', 'dbname', 'user']
  const others = parameters.filter((name) => !parts.includes(name)).map((name) => `${name}=…`)
  return new AutotestError('config_invalid', `engine ${scheme}: ${problem}`, {
    hint: `Write it as ${example ?? `${scheme}://user@host/database`}, with ?${others.join(', ')}${example === undefined ? ' or allow_superuser=true' : ''}.`,
  })
}
