import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Reads a file that is one. A pipe would keep its reader waiting for ever, and a device has no end: both throw, with their name; a folder throws `EISDIR`.
 */
export async function readRegularFile(path: string, flags = 0): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags).catch((error: unknown) => {
    // A socket cannot be opened at all.
    if (error instanceof Error && 'code' in error && error.code === 'ENXIO')
      throw new Error(`${path} is a socket, not a file`, { cause: error })
    throw error
  })
  try {
    const kind = kindOf(await file.stat())
    if (kind !== undefined) throw new Error(`${path} is ${kind}, not a file`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** What lies at a path that is neither a file nor a folder, in words; undefined for these. */
export function kindOf(found: {
  isFIFO(): boolean
  isCharacterDevice(): boolean
  isBlockDevice(): boolean
  isSocket(): boolean
}): string | undefined {
  if (found.isFIFO()) return 'a named pipe'
  if (found.isSocket()) return 'a socket'
  return found.isCharacterDevice() || found.isBlockDevice() ? 'a device' : undefined
}
