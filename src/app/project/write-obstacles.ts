import { access, constants, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkOnDisk } from '../../edit/allowed-path.js'
import type { FileChange } from '../../edit/apply-edits.js'
import { AutotestError, messageOf } from '../../errors.js'
import { describeNotCheckedOut, findNotCheckedOut } from '../../git/not-checked-out.js'
import type { RunStore } from '../../store/store.js'

const anyWriteBit = 0o222

/** Returns why a repair must not write a file of the project, or undefined if it may. */
export async function findWriteObstacle(root: string, path: string): Promise<string | undefined> {
  try {
    const [absent] = describeNotCheckedOut(await findNotCheckedOut(root, [path]))
    if (absent !== undefined) return absent
    await checkOnDisk(root, path)
    const file = join(root, path)
    const { mode } = await stat(file)
    // The mode is the owner's decision, and applies to root, too.
    if ((mode & anyWriteBit) === 0) return `${path} is read-only`
    await access(dirname(file), constants.W_OK)
    return undefined
  } catch (error) {
    if (error instanceof AutotestError) return error.message
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    return `${path} is not writable: ${messageOf(error)}`
  }
}

/**
 * Returns `kb/dau.sql has uncommitted changes of yours`; undefined if a file contains nothing but the last
 * commit and changes of runs in this database, or if `after` only restores committed content.
 */
export async function describeDirtyFile(
  root: string,
  { path, after }: Pick<FileChange, 'path' | 'after'>,
  store: Pick<RunStore, 'writesTo'>,
): Promise<string | undefined> {
  const { describeUserChanges } = await import('../../git/user-changes.js')
  const words = await describeUserChanges(root, path, () => store.writesTo(root, path), after)
  return words === undefined ? undefined : `${path} ${words}`
}
