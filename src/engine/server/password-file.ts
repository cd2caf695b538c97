import { readFile, stat } from 'node:fs/promises'

/**
 * Returns the password of the first line `host:port:database:user:password` that matches, each of the first four possibly `*`
 * (postgresql.org/docs/current/libpq-pgpass.html). Undefined without a match, or where others may read the file.
 */
export async function findPassword(
  file: string,
  wanted: { readonly host: string; readonly port: number; readonly database: string; readonly user: string },
): Promise<string | undefined> {
  let text: string
  try {
    const { mode } = await stat(file)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) return undefined
    text = await readFile(file, 'utf8')
  } catch {
    return undefined
  }
  const host = wanted.host.startsWith('/') ? 'localhost' : wanted.host
  const fields = [host, String(wanted.port), wanted.database, wanted.user]
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const [password, ...rest] = [4, 0, 1, 2, 3].map((at) =>
      line.split(/(?<!\\):/)[at]?.replaceAll(/\\(.)/g, '$1'),
    )
    if (password !== undefined && rest.every((part, at) => part === '*' || part === fields[at]))
      return password
  }
  return undefined
}
