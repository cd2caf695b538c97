import type { RepairInput } from './input.js'

/** Why one of the files may not be written; undefined where all may. */
export async function firstObstacle(
  paths: readonly string[],
  { obstacleTo }: Pick<RepairInput, 'obstacleTo'>,
): Promise<string | undefined> {
  for (const path of paths) {
    const obstacle = await obstacleTo(path)
    if (obstacle !== undefined) return obstacle
  }
  return undefined
}
