import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tracksAny } from '../../git/list-files.js'

/** A virtual environment in a project, by the folder that it has by convention. */
export interface LocalEnvironment {
  /** Relative to the root. */
  readonly folder: string
  /** Its interpreter, absolute. */
  readonly file: string
  /** Why it is not started; undefined if it may be. */
  readonly problem: string | undefined
}

const bin = process.platform === 'win32' ? 'Scripts' : 'bin'

/** Returns the path of an environment's interpreter. */
export function interpreterIn(environment: string): string {
  return join(environment, bin, 'python')
}

/**
 * Returns the virtual environments of a project. One is made after a project was cloned, and git tracks nothing of it; what came with the repository is a
 * program of its author, which is not started while the project is only read.
 */
export async function localEnvironments(root: string): Promise<readonly LocalEnvironment[]> {
  const found: LocalEnvironment[] = []
  for (const folder of ['.venv', 'venv', 'env']) {
    const file = interpreterIn(join(root, folder))
    if (existsSync(file)) found.push({ folder, file, problem: await originProblem(root, folder) })
  }
  return found
}

async function originProblem(root: string, folder: string): Promise<string | undefined> {
  if (!isInRepository(root)) return undefined
  const isTracked = await tracksAny(root, folder)
  if (isTracked === false) return undefined
  return isTracked === undefined
    ? 'not started, as git does not say whether it came with the repository'
    : 'not started, as it came with the repository (git tracks it)'
}

/** Reports whether there is a repository around a folder, whatever git makes of it. */
function isInRepository(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true
    if (dirname(folder) === folder) return false
  }
}
