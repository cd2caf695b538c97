import { resolve, sep } from 'node:path'
import { AutotestError } from '../../errors.js'
import { literalPathspec, openGit } from '../../git/git.js'
import type { Snapshot } from '../../snapshot/snapshot.js'

/**
 * Throws `kb_missing` if the knowledge base has no file; the hint states whether git has some.
 *
 * @param advice what to do if it has none
 */
export async function checkKnowledge(
  { files }: Snapshot,
  { root, kb }: { readonly root: string; readonly kb: string },
  advice: string,
): Promise<void> {
  if ([...files.keys()].some((path) => path.startsWith(`${kb}/`))) return
  const committed = await committedFiles(root, kb)
  throw new AutotestError('kb_missing', `the knowledge base ${kb} is missing or empty`, {
    hint:
      committed > 0
        ? `The last commit has ${committed === 1 ? 'one file' : `${committed} files`} there: \`git checkout HEAD -- ${kb}\` restores ${committed === 1 ? 'it' : 'them'}.`
        : advice,
  })
}

/** Counts the files in a folder of the last commit: 0 if there is no git or no commit. */
async function committedFiles(root: string, folder: string): Promise<number> {
  try {
    const { exitCode, stdout } = await (await openGit(root))(
      'ls-tree',
      '-r',
      '-z',
      '--name-only',
      'HEAD',
      '--',
      literalPathspec(folder),
    )
    return exitCode === 0 ? stdout.split('\0').filter((name) => name !== '').length : 0
  } catch {
    return 0
  }
}

/**
 * Throws `usage` for an output path in a folder that agents read: the file would be knowledge in the next
 * run.
 */
export function checkOutsideKnowledge(
  flag: string,
  paths: readonly string[],
  { root, kb, agents }: { readonly root: string; readonly kb: string; readonly agents: string },
): void {
  for (const path of paths) {
    const inside = [kb, agents].find((folder) => `${path}${sep}`.startsWith(`${resolve(root, folder)}${sep}`))
    if (inside === undefined) continue
    throw new AutotestError('usage', `${flag}: ${path} is in ${inside}/, which the agent reads`, {
      hint: 'Choose a path elsewhere, for example below reports/.',
    })
  }
}
