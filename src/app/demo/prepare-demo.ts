import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AutotestError } from '../../errors.js'
import { withCommittedFiles } from '../../git/committed-files.js'
import { commitEverything, createRepository } from '../../git/scratch-repository.js'
import { packageRoot } from '../../platform/built-module.js'
import { makeFolder } from '../../platform/make-folder.js'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'
import { copySample, type Sample } from './copy-sample.js'
import { applyDrift, type Drift, loadDrifts } from './drift.js'

/** Files that a run creates and git ignores. */
const ignored = 'reports/\n.autotest/\ndata/*.duckdb*\n'

export interface DemoProject {
  /** Absolute path. */
  readonly dir: string
  readonly drifts: readonly Drift[]
}

/**
 * Copies a sample into a scratch repository and applies the drifts.
 *
 * @param folder a new or empty folder, relative to `cwd`; undefined: a temporary one
 */
export async function prepareDemo(
  sample: Sample,
  folder: string | undefined,
  cwd: string,
): Promise<DemoProject> {
  const dir = await scratchFolder(folder, cwd)
  // The sample as released: uncommitted experiments in the package folder must not affect the demo.
  const drifts = await withCommittedFiles(
    packageRoot,
    [...sample.paths, ...Object.values(sample.replaced), sample.drifts],
    async (released) => {
      await copySample(sample, released, dir)
      return loadDrifts(join(released, sample.drifts))
    },
  )
  await writeFile(join(dir, '.gitignore'), ignored)
  const repository = await createRepository(dir, 'The sample project, clean')
  await driftFiles(dir, drifts)
  if (repository) await commitEverything(dir, `${drifts.length} drifts`)
  return { dir, drifts }
}

async function scratchFolder(dir: string | undefined, cwd: string): Promise<string> {
  if (dir === undefined) return makeTemporaryFolder('autotest-demo-')
  const path = resolve(cwd, dir)
  makeFolder(path)
  if ((await readdir(path)).length > 0) {
    throw new AutotestError('usage', `--dir ${dir}: the folder is not empty`, {
      hint: 'Choose a new or empty folder.',
    })
  }
  return path
}

async function driftFiles(dir: string, drifts: readonly Drift[]): Promise<void> {
  const paths = new Set(drifts.flatMap((drift) => drift.edits.map((edit) => edit.file)))
  for (const path of paths) {
    const text = await readFile(join(dir, path), 'utf8')
    await writeFile(
      join(dir, path),
      drifts.reduce((current, drift) => applyDrift(current, path, drift), text),
    )
  }
}
