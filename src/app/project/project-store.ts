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

export async function openProjectStore(request: StoreRequest, now: () => Date): Promise<ProjectStore> {
  const config = await loadConfig({ cwd: request.cwd, file: request.config })
  const store = await openStore(databasePath(request, config), { now })
  return { config, store }
}
