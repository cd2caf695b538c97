import { join } from 'node:path'
import type { Project } from './project.js'

/** Returns the folder of a run's reports, beside the run database of the project. */
export function runFolder(project: Pick<Project, 'config'>, runId: string): string {
  return join(project.config.root, 'reports', runId)
}
