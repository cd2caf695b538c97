import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { copySample, samplePaths } from '../../app/demo/copy-sample.js'
import { applyDrift, type Drift, loadDrifts } from '../../app/demo/drift.js'
import { checkDriftExpectations, driftExpectationLines } from '../../app/demo/drift-expectations.js'
import type { ExitCode } from '../../app/exit-code.js'
import { AutotestError } from '../../errors.js'
import { withCommittedFiles } from '../../git/committed-files.js'
import { commitEverything, createRepository } from '../../git/scratch-repository.js'
import { packageRoot } from '../../platform/built-module.js'
import { makeFolder } from '../../platform/make-folder.js'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'
import type { CommandContext } from '../command-context.js'
import { runInTerminal } from '../run/run-in-terminal.js'

const driftFile = 'demo/drift.yaml'

/** What a run makes and git need not keep. */
const ignored = 'reports/\n.autotest/\ndata/*.duckdb*\n'

/** Copies the sample into a scratch repository, lets it drift, runs the real loop there, and checks what it promised. */
export async function demoCommand(
  flags: { readonly dir?: string | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context
  const dir = await scratchFolder(flags.dir, context.cwd)
  // The sample as it was released: what somebody tried out at the root has no place in the demo.
  const drifts = await withCommittedFiles(packageRoot, [...samplePaths, driftFile], async (released) => {
    await copySample(released, dir)
    return loadDrifts(join(released, driftFile))
  })
  await writeFile(join(dir, '.gitignore'), ignored)
  const repository = await createRepository(dir, 'The sample project, clean')
  await driftFiles(dir, drifts)
  if (repository) await commitEverything(dir, `${drifts.length} drifts, as after a few careless weeks`)
  terminal.out(`A copy of the sample project is in ${dir}`)
  terminal.out(`${drifts.length} things have drifted there (docs/demo.md):`)
  for (const drift of drifts) terminal.out(`  ${drift.title}`)
  terminal.out('')
  const { detail, interrupted } = await runInTerminal({ reporter: ['console'] }, { ...context, cwd: dir })
  if (interrupted) return 130
  const promises = checkDriftExpectations(drifts, detail)
  terminal.out('')
  for (const line of driftExpectationLines(promises)) terminal.out(line)
  terminal.out('')
  const look = detail.run.decision === 'committed' ? 'git log --stat' : 'git diff'
  terminal.out(`Look around: cd ${dir} && ${look} · nothing else was touched`)
  return promises.every((promise) => promise.kept) ? 0 : 1
}

async function scratchFolder(dir: string | undefined, cwd: string): Promise<string> {
  if (dir === undefined) return makeTemporaryFolder('autotest-demo-')
  const path = resolve(cwd, dir)
  makeFolder(path)
  if ((await readdir(path)).length > 0) {
    throw new AutotestError('usage', `--dir ${dir}: the folder is not empty`, {
      hint: 'Name a new or an empty folder.',
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
