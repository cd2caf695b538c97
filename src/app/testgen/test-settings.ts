import { posix } from 'node:path'
import { besideSource } from '../../testgen/test-path.js'
import { projectConfig } from '../project/project-config.js'

export interface TestSettings {
  readonly python: string | undefined
  /** Folder for new test files, relative to the root; undefined: the usual one. */
  readonly folder: string | undefined
}

/** Returns what `tests` of a project's configuration says, which need not be there. */
export async function testSettings(root: string): Promise<TestSettings> {
  const { python, folder, project } = (await projectConfig(root, undefined)).tests
  const isRelative = folder !== undefined && folder !== besideSource
  return { python, folder: isRelative ? posix.join(project, folder) : folder }
}
