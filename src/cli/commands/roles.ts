import { realpath } from 'node:fs/promises'
import type { ExitCode } from '../../app/exit-code.js'
import { databasePath } from '../../app/project/project.js'
import { projectRoles } from '../../app/roles/project-roles.js'
import { oneLine } from '../../report/format-text.js'
import { openStore } from '../../store/store.js'
import type { CommandContext } from '../command-context.js'

const mostRefusals = 20

/** Prints the roles of a project, what each may write, and what was refused last. */
export async function rolesCommand(
  { config: file }: { readonly config?: string | undefined },
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const { config, roles, guidelines } = await projectRoles(cwd, file)
  for (const { name, aliases, mode, writes, refuses, deniedTools } of roles) {
    terminal.out(`${[name, ...aliases].join(', ')}: ${mode}`)
    terminal.out(`  writes   ${writes.length === 0 ? 'nothing' : writes.join(', ')}`)
    if (writes.length > 0) terminal.out(`  never    ${refuses.join(', ')}`)
    if (deniedTools.length > 0) terminal.out(`  denied   ${deniedTools.join(', ')}`)
  }
  terminal.out(`guidelines: ${guidelines.map(({ id }) => id).join(', ') || 'none'}`)
  const store = await openStore(databasePath({ cwd }, config), { now })
  try {
    const refusals = store.refusals.latest(await realpath(config.root), mostRefusals)
    if (refusals.length > 0) terminal.out('\nRefused, the last first:')
    for (const { at, role, source, path, reason } of refusals)
      terminal.out(
        `  ${at.slice(0, 16).replace('T', ' ')}  ${role} (${source})  ${oneLine(path)}: ${oneLine(reason)}`,
      )
    return 0
  } finally {
    store.close()
  }
}
