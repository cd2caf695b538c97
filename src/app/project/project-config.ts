import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import { findProject } from './find-project.js'

/** Returns the configuration of the project around a folder, which need not have a file of it. */
export async function projectConfig(cwd: string, file: string | undefined): Promise<Config> {
  return loadConfig({ cwd: file === undefined ? await findProject(cwd) : cwd, file })
}
