import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import type { ConfigOverrides } from '../../config/overrides.js'
import { AutotestError } from '../../errors.js'
import type { GitState } from '../../git/inspect-repository.js'

/** Where doctor was started: in a project, in one whose configuration cannot be read, or in none. */
export type ProjectLocation =
  | { readonly kind: 'project'; readonly root: string; readonly config: Config }
  | { readonly kind: 'invalid'; readonly root: string; readonly error: AutotestError }
  | { readonly kind: 'none'; readonly root: string }

/** The input of the checks. Values that several of them need are determined once. */
export interface DoctorEnvironment {
  /** Absolute path. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `20.19.0` */
  readonly nodeVersion: string
  /** Absolute path of the run database given by --db. */
  readonly database: string | undefined
  /** Whether models may be called. */
  readonly call: boolean
  projectLocation(): Promise<ProjectLocation>
  /** Returns the git state of the project's folder, or of the working folder. */
  repository(): Promise<GitState>
  /**
   * Returns the bytes that this user may still write on the folder's disk; undefined on a virtual file
   * system.
   */
  freeBytes(folder: string): Promise<number | undefined>
}

export interface EnvironmentOptions {
  readonly cwd: string
  readonly env: DoctorEnvironment['env']
  /** As given by --config. */
  readonly file: string | undefined
  readonly db: string | undefined
  readonly call: boolean
  readonly overrides: ConfigOverrides
}

/** Returns the actual machine and project. */
export function inspectEnvironment({
  cwd,
  env,
  file,
  db,
  call,
  overrides,
}: EnvironmentOptions): DoctorEnvironment {
  const place = memoize(() => locateProject(cwd, file, overrides))
  return {
    cwd,
    env,
    nodeVersion: process.versions.node,
    database: db === undefined ? undefined : resolve(cwd, db),
    call,
    projectLocation: place,
    repository: memoize(async () => {
      const { inspectRepository } = await import('../../git/inspect-repository.js')
      return inspectRepository((await place()).root)
    }),
    async freeBytes(folder) {
      const { blocks, bavail, bfree, bsize } = await statfs(folder)
      if (blocks === 0) return undefined
      // File systems reserve a part for root.
      return (process.getuid?.() === 0 ? bfree : bavail) * bsize
    },
  }
}

async function locateProject(
  cwd: string,
  file: string | undefined,
  overrides: ConfigOverrides,
): Promise<ProjectLocation> {
  try {
    const config = await loadConfig({ cwd, file, overrides })
    const isProject = config.file !== undefined || existsSync(join(config.root, 'benchmarks'))
    return isProject ? { kind: 'project', root: config.root, config } : { kind: 'none', root: cwd }
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return { kind: 'invalid', root: file === undefined ? rootAbove(cwd) : dirname(resolve(cwd, file)), error }
  }
}

/** Returns the folder of a configuration that cannot be read. */
function rootAbove(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'autotest.config.yaml')) || existsSync(join(folder, 'autotest.config.yml')))
      return folder
    if (dirname(folder) === folder) return cwd
  }
}

function memoize<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= find()
    return found
  }
}
