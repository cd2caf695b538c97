import { posix } from 'node:path'

/**
 * A path of a definition, which is relative to the agents folder, as one relative to the project root; undefined for
 * one that leads out of the folder.
 */
export function resolveAgentPath(agentsFolder: string, path: string): string | undefined {
  if (path.includes('\\') || path.includes('\0') || posix.isAbsolute(path)) return undefined
  const joined = posix.normalize(posix.join(agentsFolder, path))
  return joined.startsWith(`${agentsFolder}/`) ? joined : undefined
}
