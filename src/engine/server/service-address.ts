import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AutotestError } from '../../errors.js'
import type { ServiceCredentials } from '../child/server-protocol.js'
import { type AddressForm, invalidAddress, isLocal } from './server-address.js'

/** Parameters of each service. */
export interface ServicePlace {
  readonly host: string
  readonly port?: string | undefined
  readonly sslmode?: string | undefined
}

/** Returns `https://host:port`; without TLS only where that is asked for, or on this machine. Throws `config_invalid`. */
export function originOf(form: AddressForm<string>, { host, port, sslmode }: ServicePlace): string {
  if (sslmode !== undefined && !/^(?:disable|verify-full)$/.test(sslmode))
    throw invalidAddress(form, `sslmode is disable or verify-full, not ${JSON.stringify(sslmode)}`)
  const isPlain = sslmode === undefined ? isLocal(host) : sslmode === 'disable'
  const shown = host.includes(':') ? `[${host}]` : host
  const origin = `${isPlain ? 'http' : 'https'}://${shown}:${port ?? (isPlain ? '8080' : '443')}`
  if (!URL.canParse(origin)) throw invalidAddress(form, `${host}:${port ?? ''} is no host`)
  return new URL(origin).origin
}

/** Throws `config_invalid` where credentials would be readable on their way. */
export function assertEncrypted(
  { scheme }: AddressForm<string>,
  origin: string,
  credentials: ServiceCredentials,
): void {
  const { protocol, hostname } = new URL(origin)
  if (credentials.kind === 'none' || protocol === 'https:' || isLocal(hostname.replace(/^\[|\]$/g, '')))
    return
  throw new AutotestError(
    'config_invalid',
    `engine ${scheme}: the credentials would be sent without encryption`,
    {
      hint: 'Remove sslmode=disable, or the credentials.',
    },
  )
}

/** Reads a file that a parameter names, relative to the root. Throws `config_invalid`. */
export async function readNamedFile(
  { scheme }: AddressForm<string>,
  root: string,
  name: string,
  path: string | undefined,
): Promise<string | undefined> {
  if (path === undefined) return undefined
  try {
    return await readFile(resolve(root, path), 'utf8')
  } catch (error) {
    throw new AutotestError('config_invalid', `engine ${scheme}: ${name} ${path} cannot be read`, {
      hint: `Correct the path; it is relative to ${root}.`,
      cause: error,
    })
  }
}
