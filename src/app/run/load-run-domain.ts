import type { Config } from '../../config/config.js'
import { loadProject, loadProjectConfig } from '../project/project.js'
import type { ProjectRequest } from '../project/project-request.js'
import type { RunDomain } from './run-state.js'
import { sqlRunDomain } from './sql/sql-run-domain.js'

/**
 * Loads the project that a request selects: what its agent answers decides what its cases are about.
 *
 * @param prewarm called with the configuration of a text-to-SQL project, and awaited, before the cases are read
 */
export async function loadRunDomain(
  request: ProjectRequest,
  prewarm?: (config: Config) => Promise<void>,
): Promise<RunDomain> {
  const config = await loadProjectConfig(request)
  if (config.agent.kind !== 'subagent') return sqlRunDomain(await loadProject(request, prewarm))
  const { loadTestsDomain } = await import('./tests/tests-run-domain.js')
  return loadTestsDomain(request, config, config.agent)
}
