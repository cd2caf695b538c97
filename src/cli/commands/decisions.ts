import type { ExitCode } from '../../app/exit-code.js'
import { decisionsFile, readDecisions, removeDecision } from '../../app/project/decisions-file.js'
import { loadConfig } from '../../config/load.js'
import { AutotestError } from '../../errors.js'
import { decisionLines } from '../../report/console/decisions.js'
import { plural } from '../../report/format-text.js'
import type { CommandContext } from '../command-context.js'

interface DecisionsFlags {
  readonly config?: string | undefined
  readonly verbose?: boolean | undefined
}

/** Shows the repairs that people rejected. */
export async function listDecisionsCommand(
  flags: DecisionsFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, cwd } = context
  const { root } = await loadConfig({ cwd, file: flags.config })
  const decisions = await readDecisions(root)
  const screen = { width: terminal.width, color: terminal.color }
  for (const decision of decisions) for (const line of decisionLines(decision, screen)) terminal.out(line)
  terminal.out(
    decisions.length === 0
      ? 'No repair was rejected: autotest reject RUN --reason TEXT, or autotest revert RUN.'
      : `${plural(decisions.length, 'rejected repair')} in ${decisionsFile}`,
  )
  return 0
}

/** Takes one decision back. Throws `usage` if there is none with the id. */
export async function forgetDecisionCommand(
  flags: DecisionsFlags & { readonly id: string },
  { terminal, cwd }: CommandContext,
): Promise<ExitCode> {
  const { root } = await loadConfig({ cwd, file: flags.config })
  const removed = await removeDecision(root, flags.id)
  if (removed === undefined)
    throw new AutotestError('usage', `no decision "${flags.id}" in ${decisionsFile}`, {
      hint: 'autotest decisions shows them.',
    })
  terminal.out(`Forgotten: ${removed.repair}. The next run may propose it again.`)
  return 0
}
