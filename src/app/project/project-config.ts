import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import type { ConfigOverrides } from '../../config/overrides.js'
import { findProject } from './find-project.js'

/** Returns the configuration of the project around a folder, which need not have a file of it. */
export async function projectConfig(
  cwd: string,
  file: string | undefined,
  overrides?: ConfigOverrides,
): Promise<Config> {
  return loadConfig({
    cwd: file === undefined ? await findProject(cwd) : cwd,
    file,
    ...(overrides && { overrides }),
  })
}
