import type { FileChange } from '../edit/apply.js'
import type { RepairInput } from './input.js'

/** Why one of the files may not be written; undefined where all may. */
export async function findWriteObstacle(
  changes: readonly FileChange[],
  { writeObstacle: obstacleTo }: Pick<RepairInput, 'writeObstacle'>,
): Promise<string | undefined> {
  for (const change of changes) {
    const obstacle = await obstacleTo(change)
    if (obstacle !== undefined) return obstacle
  }
  return undefined
}
