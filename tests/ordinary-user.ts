import { chownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const nobody = 65_534

/**
 * What an ordinary user meets who owns the folder. Root may read and write everything, and becomes such a user for as long as
 * the work takes: what is said about permissions is tested whoever runs the tests. Programs started meanwhile may take
 * themselves for root again, as shells do.
 */
export async function asOrdinaryUser<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { getegid, geteuid, setegid, seteuid } = process
  if (geteuid?.() !== 0 || !getegid || !setegid || !seteuid) return work()
  const group = getegid()
  for (const path of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chownSync(join(folder, path), nobody, nobody)
  setegid(nobody)
  seteuid(nobody)
  try {
    return await work()
  } finally {
    seteuid(0)
    setegid(group)
  }
}
