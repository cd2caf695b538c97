import { posix } from 'node:path'

/**
 * Converts a path in a definition, which is relative to the agents folder, to one relative to the project
 * root; undefined for a path outside the folder.
 */
export function resolveAgentPath(agentsFolder: string, path: string): string | undefined {
  if (path.includes('\\') || path.includes('\0') || posix.isAbsolute(path)) return undefined
  const joined = posix.normalize(posix.join(agentsFolder, path))
  return joined.startsWith(`${agentsFolder}/`) ? joined : undefined
}
