import { join } from 'node:path'
import type { Config } from '../../config/config.js'

/** Returns the folder of a run's reports, beside the run database of the project. */
export function runFolder(project: { readonly config: Pick<Config, 'root'> }, runId: string): string {
  return join(project.config.root, 'reports', runId)
}
