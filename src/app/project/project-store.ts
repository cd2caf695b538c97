import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import { openStore, type RunStore } from '../../store/store.js'
import { databasePath } from './project.js'
import type { StoreRequest } from './project-request.js'

export interface ProjectStore {
  readonly config: Config
  /** Open; the caller closes it. */
  readonly store: RunStore
}

/** Opens the run database of a project that has one, to read it: whoever only looks makes no new file. */
export async function openStoreIfThere(
  request: StoreRequest,
  now: () => Date,
): Promise<ProjectStore | undefined> {
  const config = await loadConfig({ cwd: request.cwd, file: request.config })
  const path = databasePath(request, config)
  return existsSync(path) ? { config, store: await openStore(path, { now }) } : undefined
}

export async function openProjectStore(request: StoreRequest, now: () => Date): Promise<ProjectStore> {
  const config = await loadConfig({ cwd: request.cwd, file: request.config })
  const store = await openStore(databasePath(request, config), { now })
  return { config, store }
}
