import { packageRoot } from '../../platform/built-module.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { type Snapshot, withFiles } from '../../snapshot/snapshot.js'

/** Adds the definitions and scripts that come with the program, where the project has no file of that name. */
export async function withShippedDefinitions(snapshot: Snapshot, agents: string): Promise<Snapshot> {
  const shipped = await loadSnapshot(packageRoot, ['agents'])
  const missing = [...shipped.snapshot.files].flatMap(([path, bytes]) => {
    const own = path.replace(/^agents\//, `${agents}/`)
    return snapshot.files.has(own) ? [] : [[own, bytes] as const]
  })
  return withFiles(snapshot, new Map(missing))
}
