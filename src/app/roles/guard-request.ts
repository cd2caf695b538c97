import { answerGuard, type GuardAnswer } from '../../roles/guard.js'
import { databasePath } from '../project/project.js'
import { projectRoles } from './project-roles.js'
import { recordRefusals } from './record-refusals.js'
import { shadowedNames } from './shadowed-names.js'

export interface GuardRequestOptions {
  readonly cwd: string
  readonly role: string | undefined
  /** Configuration file; undefined: found upwards from `cwd`. */
  readonly config: string | undefined
  /** The program that runs a command within a role's sandbox; undefined where there is none. */
  readonly sandbox: readonly string[] | undefined
  readonly now: () => Date
}

/**
 * Answers a request about a tool by the roles and guidelines of the project around a folder, and records a refusal. Throws where roles or guidelines
 * cannot be read.
 */
export async function guardRequest(
  text: string,
  { cwd, role, config: file, sandbox, now }: GuardRequestOptions,
): Promise<GuardAnswer> {
  const { config, roles, guidelines } = await projectRoles(cwd, file)
  const { root } = config
  const findShadowed = shadowedNames({ python: config.tests.python, env: process.env })
  const answer = await answerGuard(text, { root, cwd, role, roles, guidelines, sandbox, findShadowed })
  if (answer.refused !== undefined)
    await recordRefusals(databasePath({ cwd }, config), [{ root, source: 'guard', ...answer.refused }], now)
  return answer
}
