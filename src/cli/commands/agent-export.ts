import type { ExitCode } from '../../app/exit-code.js'
import { exportDefinitions } from '../../app/models/export-definitions.js'
import { loadConfig } from '../../config/load.js'
import type { CommandContext } from '../command-context.js'

/** Writes the definitions with tools as coding agents read them. */
export async function agentExportCommand(
  { config: file, to }: { readonly config?: string | undefined; readonly to: string },
  { terminal, cwd }: CommandContext,
): Promise<ExitCode> {
  const config = await loadConfig({ cwd, file })
  for (const { path, outcome } of await exportDefinitions(config, to, cwd)) {
    const words = { written: 'wrote', same: 'unchanged', kept: 'kept, as it was changed by hand:' }[outcome]
    terminal.out(`${words} ${path}`)
  }
  return 0
}
