import { loadConfig } from '../../config/load.js'
import { answerGuard, type GuardAnswer } from '../../roles/guard.js'
import { loadGuidelines } from '../../roles/load-guidelines.js'
import { defaultRoles } from '../../roles/role.js'
import { loadSnapshot } from '../../snapshot/load.js'

export interface GuardRequestOptions {
  readonly cwd: string
  readonly role: string | undefined
  /** Configuration file; undefined: found upwards from `cwd`. */
  readonly config: string | undefined
}

/** Answers a request about a tool by the roles and guidelines of the project around a folder. Throws where these cannot be read. */
export async function guardRequest(
  text: string,
  { cwd, role, config: file }: GuardRequestOptions,
): Promise<GuardAnswer> {
  const { root, agents } = await loadConfig({ cwd, file })
  const { snapshot, problems } = await loadSnapshot(root, [agents])
  const [unread] = problems
  if (unread !== undefined) throw new Error(`${unread.path}: ${unread.message}`)
  const guidelines = loadGuidelines(snapshot, `${agents}/guidelines`)
  return answerGuard(text, { root, role, roles: defaultRoles, guidelines, sandbox: undefined })
}
