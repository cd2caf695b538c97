import type { FileChange } from '../../edit/apply-edits.js'
import { describeDirtyFile } from '../project/write-obstacles.js'
import type { ExecuteRequest } from './run-state.js'

/**
 * Returns why a file with uncommitted changes must not be repaired; a plan that is only shown may change any
 * file.
 */
export async function uncommittedObstacle(
  change: FileChange,
  { mode, allowDirty, project, store }: ExecuteRequest,
): Promise<string | undefined> {
  if (mode !== 'repair' || allowDirty) return undefined
  const words = await describeDirtyFile(project.config.root, change, store)
  return words === undefined ? undefined : `${words} (commit or stash first, or give --allow-dirty)`
}
