import type { Snapshot } from '../snapshot/snapshot.js'
import { definitionFiles, loadDefinition } from '../subagent/definition.js'
import { defaultRoles, type Role, refusedByDefault } from './role.js'

/**
 * Returns the roles of a project: those that come with the program, as definitions of that name in its agents folder change them, and those of other
 * definitions. Throws `agent_invalid` with file and line.
 */
export function loadRoles(snapshot: Snapshot, agentsFolder: string): readonly Role[] {
  const roles = new Map(defaultRoles.map((role) => [role.name, role]))
  for (const file of definitionFiles(snapshot, agentsFolder)) {
    if (!isRole(snapshot, `${agentsFolder}/${file}`)) continue
    const { definition } = loadDefinition(snapshot, agentsFolder, file)
    const { name, role, description, systemPrompt: prompt } = definition
    if (role === undefined) continue
    const { mode, refuses = refusedByDefault(mode), ...rest } = role
    const known = roles.get(name)
    roles.set(name, {
      ...{ name, mode, refuses, prompt, ...rest },
      // Whoever writes what holds him is held by nothing.
      writes: [...rest.writes, ...[agentsFolder, 'reports'].map((folder) => `!${folder}/**`)],
      description: description ?? known?.description ?? mode,
    })
  }
  return [...roles.values()]
}

/** Whether a file says what its agent may write; only such files are read, as any other may be in the middle of an edit. */
function isRole({ files }: Snapshot, path: string): boolean {
  return /\.ya?ml$/.test(path) && /^role:/m.test(new TextDecoder().decode(files.get(path)))
}
