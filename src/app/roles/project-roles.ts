import type { Config } from '../../config/config.js'
import type { ConfigOverrides } from '../../config/overrides.js'
import { AutotestError } from '../../errors.js'
import { packageRoot } from '../../platform/built-module.js'
import type { Guideline } from '../../roles/guideline.js'
import { loadGuidelines } from '../../roles/load-guidelines.js'
import { loadRoles } from '../../roles/load-roles.js'
import type { Role } from '../../roles/role.js'
import { loadSnapshot } from '../../snapshot/load.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { projectConfig } from '../project/project-config.js'

/** The roles of a project, and what guides them. */
export interface ProjectRoles {
  readonly config: Config
  /** The files of the agents folder. */
  readonly snapshot: Snapshot
  readonly roles: readonly Role[]
  readonly guidelines: readonly Guideline[]
}

/** Reads the roles and guidelines of the project around a folder. Throws where one of their files cannot be read. */
export async function projectRoles(
  cwd: string,
  file: string | undefined,
  overrides?: ConfigOverrides,
): Promise<ProjectRoles> {
  const config = await projectConfig(cwd, file, overrides)
  const { snapshot, problems } = await loadSnapshot(config.root, [config.agents])
  const [unread] = problems
  if (unread !== undefined)
    throw new AutotestError('agent_invalid', `${unread.path}: ${unread.message}`, {
      hint: 'Roles are read from regular files: replace it, or remove it.',
    })
  const roles = loadRoles(snapshot, config.agents)
  return { config, snapshot, roles, guidelines: await guidelinesOf(snapshot, config.agents) }
}

/** Returns the guidelines of a project; those that come with the program where it has none of its own. */
async function guidelinesOf(snapshot: Snapshot, agents: string): Promise<readonly Guideline[]> {
  const own = loadGuidelines(snapshot, `${agents}/guidelines`)
  if (own.length > 0) return own
  const shipped = await loadSnapshot(packageRoot, ['agents/guidelines'])
  return loadGuidelines(shipped.snapshot, 'agents/guidelines')
}
