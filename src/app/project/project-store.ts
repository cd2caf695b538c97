import type { CommandContext } from '../../cli/command-context.js'
import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import { openStore, type RunStore } from '../../store/store.js'
import { databasePath } from './project.js'

/** Flags of the commands that read the run database. */
export interface StoreFlags {
  readonly db?: string | undefined
  readonly config?: string | undefined
  readonly verbose?: boolean | undefined
}

export interface ProjectStore {
  readonly config: Config
  /** Open; the caller closes it. */
  readonly store: RunStore
}

export async function openProjectStore(flags: StoreFlags, context: CommandContext): Promise<ProjectStore> {
  const config = await loadConfig({ cwd: context.cwd, file: flags.config })
  const store = await openStore(databasePath(flags, config, context.cwd), { now: context.now })
  return { config, store }
}
