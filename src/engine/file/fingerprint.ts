import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** Up to this size in bytes the content of a file is hashed; of larger files size, time and both ends. */
const wholeBytes = 64 * 1024 * 1024
const endBytes = 1024 * 1024

/**
 * Returns a SHA-256 in hex of database files in order; a missing one (such as a journal) counts as missing.
 */
export async function fingerprintOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    const found = await stat(path).catch(absent)
    if (found === undefined) {
      hash.update('absent\n')
      continue
    }
    hash.update(`${found.size}\n`)
    if (found.size <= wholeBytes) {
      await update(hash, path, 0, found.size)
    } else {
      hash.update(`${found.mtimeMs}\n`)
      await update(hash, path, 0, endBytes)
      await update(hash, path, found.size - endBytes, found.size)
    }
  }
  return hash.digest('hex')
}

/** Hashes bytes `[start, end)`, keeping only one chunk in memory. */
async function update(hash: ReturnType<typeof createHash>, path: string, start: number, end: number) {
  if (end <= start) return
  for await (const chunk of createReadStream(path, { start, end: end - 1 })) hash.update(chunk)
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
