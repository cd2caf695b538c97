import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AutotestError } from '../errors.js'
import { makeTemporaryFolder } from '../platform/temporary-folder.js'
import { type Git, literalPathspec, openGit } from './git.js'
import { changesMatching, type WorkingTreeChange } from './inspect-repository.js'
import { nearestExistingFolder } from './nested-repositories.js'
import { markHiding } from './not-checked-out.js'
import { isPartialRevert } from './partial-revert.js'

/** A version of a file written by a run; null if the file did not exist before or after. */
export interface RunWrite {
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/**
 * Returns the user's own changes of a file, made by no commit and no run, as a verb phrase (`has uncommitted
 * changes`). Undefined if there are none, the file is new to git or ignored, or it is in no repository.
 * `writes` (newest first) are those of earlier runs: if a file differs from the last commit only by them,
 * byte for byte, the changes are not the user's. Nor do changes prevent a repair that results in the bytes
 * `after` by only restoring committed content. Staged changes always do. Changes nothing; uses the repository
 * that the file itself is in.
 */
export async function describeUserChanges(
  root: string,
  path: string,
  writes: () => readonly RunWrite[],
  after?: Uint8Array | null,
): Promise<string | undefined> {
  const file = join(root, path)
  const folder = nearestExistingFolder(dirname(file))
  // The file is in a missing folder: git has it at most as deleted, seen from the folder above.
  const name = file.slice(folder.length + 1)
  const git = await openGit(folder)
  const changes = await changesOf(name, git)
  const [change] = changes ?? []
  if (change === undefined && changes !== undefined) {
    const hidden = await markHiding(git, name)
    if (hidden !== undefined)
      return `is marked ${hidden.mark}, so git does not show changes of it (${hidden.command})`
  }
  if (change === undefined || change.untracked || change.announced) return undefined
  if (change.unmerged) return 'has an unresolved merge conflict'
  const isGone = !existsSync(file)
  if (change.staged) return isGone ? 'has a staged, uncommitted deletion' : 'has staged changes'
  if (isGone) {
    const { stdout } = await git('cat-file', '--filters', `:./${name}`)
    return after != null && decode(after) === stdout ? undefined : 'has an uncommitted deletion'
  }
  const bytes = await readFile(file)
  const isFree =
    (await isWrittenByRuns(bytes, name, writes(), git)) ||
    (after != null && isPartialRevert(await committedText(name, git), decode(bytes), decode(after)))
  return isFree ? undefined : 'has uncommitted changes'
}

async function committedText(name: string, git: Git): Promise<string> {
  return (await git('show', `:./${name}`)).stdout
}

/** Decodes bytes, keeping a byte order mark as git's output does. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Returns the changes of a file; undefined outside a repository, and without git. */
async function changesOf(name: string, git: Git): Promise<readonly WorkingTreeChange[] | undefined> {
  try {
    return await changesMatching(git, [literalPathspec(name)])
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return undefined
    throw error
  }
}

/**
 * Reports whether reverting the writes of runs, from the newest on, leads from these bytes to the last
 * commit.
 */
async function isWrittenByRuns(
  bytes: Uint8Array,
  name: string,
  writes: readonly RunWrite[],
  git: Git,
): Promise<boolean> {
  let current: Uint8Array | null = bytes
  for (const { before, after } of writes) {
    if (current === null || after === null || Buffer.compare(after, current) !== 0) continue
    current = before
    if (current !== null && (await isCommitted(current, name, git))) return true
  }
  return false
}

/**
 * Reports whether git would store the bytes as the committed ones; its line endings and filters are applied.
 */
async function isCommitted(bytes: Uint8Array, name: string, git: Git): Promise<boolean> {
  const scratch = makeTemporaryFolder('autotest-blob-')
  try {
    const copy = join(scratch, basename(name))
    await writeFile(copy, bytes)
    const [hashed, stored] = await Promise.all([
      git('hash-object', `--path=${name}`, '--', copy),
      git('rev-parse', '--quiet', '--verify', `:./${name}`),
    ])
    return hashed.exitCode === 0 && stored.exitCode === 0 && hashed.stdout.trim() === stored.stdout.trim()
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
