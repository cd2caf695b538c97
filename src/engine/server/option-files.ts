import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AutotestError } from '../../errors.js'
import type { Environment } from './server-address.js'

type Section = Readonly<Record<string, string>>

/**
 * Returns the parameters of a service from PGSERVICEFILE, `~/.pg_service.conf` or the folder of PGSYSCONFDIR
 * (postgresql.org/docs/current/libpq-pgservice.html). Throws `config_invalid` where it is not there.
 */
export async function readService(service: string, env: Environment): Promise<Section> {
  const files = [
    env['PGSERVICEFILE'] ?? join(homedir(), '.pg_service.conf'),
    join(env['PGSYSCONFDIR'] ?? '/etc/postgresql-common', 'pg_service.conf'),
  ].filter((file) => existsSync(file))
  for (const file of files) {
    const found = sectionOf(service, await readFile(file, 'utf8'))
    if (found !== undefined) return found
  }
  throw new AutotestError('config_invalid', `engine postgres: the service ${service} is not defined`, {
    hint:
      files.length === 0
        ? 'Write it to ~/.pg_service.conf, or name the file by PGSERVICEFILE.'
        : `Add [${service}] to ${files[0]}.`,
  })
}

/**
 * Returns the `[client]` group of an option file of MySQL (dev.mysql.com/doc/refman/8.4/en/option-files.html); nothing where
 * there is none. Throws `config_invalid` where the file must be there and is not.
 */
export async function readClientOptions(file: string, isNamed: boolean): Promise<Section> {
  try {
    return sectionOf('client', await readFile(file, 'utf8')) ?? {}
  } catch (error) {
    if (!isNamed) return {}
    throw new AutotestError('config_invalid', `engine mysql: the option file ${file} cannot be read`, {
      hint: 'Correct defaults_file.',
      cause: error,
    })
  }
}

/** Returns the keys of a section, or undefined. Values may be quoted. */
function sectionOf(name: string, text: string): Section | undefined {
  let found: Record<string, string> | undefined
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[([^\]]*)\]\s*$/.exec(line)?.[1]
    if (section !== undefined) {
      if (found !== undefined) return found
      if (section === name) found = {}
    } else if (found !== undefined) {
      const [, key, value] = /^\s*([^#;=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      if (key !== undefined && value !== undefined) found[key] = value.replace(/^(["'])(.*)\1$/, '$2')
    }
  }
  return found
}
