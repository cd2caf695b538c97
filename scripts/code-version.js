import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Digest of all that decides what a query is read as: the library's copies and the sources that read its trees. What an
 * earlier run kept of a query is used under the same digest only.
 *
 * @param {readonly string[]} folders of the library's copies
 */
export function codeVersion(folders) {
  const files = [
    ...folders.flatMap((folder) => [join(folder, 'index.cjs'), join(folder, 'polyglot_sql.wasm')]),
    ...sources('src/sql').sort(),
    'src/dialect.ts',
  ]
  const digest = createHash('sha256')
  for (const file of files) digest.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return digest.digest('hex')
}

function sources(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}
