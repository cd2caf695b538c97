import { realpath } from 'node:fs/promises'
import { openStoreIfThere } from '../project/project-store.js'
import { type MappingWithRun, withLastRuns } from './last-runs.js'
import { readRegistry } from './registry.js'

/** Returns the registry of a project with what became of the tests when they last ran. */
export async function registryWithRuns(
  root: string,
  now: () => Date,
): Promise<ReadonlyMap<string, MappingWithRun>> {
  const registry = await readRegistry(root)
  if (registry.size === 0) return registry
  const opened = await openStoreIfThere({ cwd: root }, now)
  if (opened === undefined) return registry
  try {
    return withLastRuns(registry, opened.store.testResults.ofProject(await realpath(root)))
  } finally {
    opened.store.close()
  }
}
