import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Digest of all code in a folder of programs, with the libraries that are bundled: it decides what a query is read as, and what
 * an earlier run kept of a query is used under the same digest only.
 *
 * @param {string} folder
 */
export function codeVersion(folder) {
  const digest = createHash('sha256')
  const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(?:c?js|wasm)$/u.test(name))
  for (const name of files.sort())
    digest
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0')
  return digest.digest('hex')
}
