import { resolve } from 'node:path'
import type { ExitCode } from '../../app/exit-code.js'
import { exportDefinitions } from '../../app/export/export-definitions.js'
import { type ExportForm, exportRoles } from '../../app/export/export-roles.js'
import { projectRoles } from '../../app/roles/project-roles.js'
import type { CommandContext } from '../command-context.js'
import { displayPath } from '../display-path.js'

export interface AgentExportFlags {
  readonly config?: string | undefined
  readonly to: string
  readonly form?: ExportForm | 'definitions' | undefined
  readonly command?: string | undefined
}

/** Writes agents, rules and guidelines as coding agents read them. */
export async function agentExportCommand(
  { config: file, to, form = 'claude', command = 'npx --no-install autotest' }: AgentExportFlags,
  { terminal, cwd }: CommandContext,
): Promise<ExitCode> {
  const project = await projectRoles(cwd, file)
  const exported =
    form === 'definitions'
      ? await exportDefinitions(project.config, to, cwd)
      : await exportRoles({ project, form, to: resolve(cwd, to), command })
  for (const { path, outcome } of exported) {
    const words = { written: 'wrote', same: 'unchanged', kept: 'kept, as it was changed by hand:' }[outcome]
    terminal.out(`${words} ${displayPath(path, cwd)}`)
  }
  return 0
}
