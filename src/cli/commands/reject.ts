import type { ExitCode } from '../../app/exit-code.js'
import { decisionsFile } from '../../app/project/decisions-file.js'
import { rejectRun } from '../../app/repairs/reject-run.js'
import type { CommandContext } from '../command-context.js'
import type { StoreFlags } from '../store-flags.js'

/** Records that repairs are not wanted, and says how to undo those that were written. */
export async function rejectCommand(
  flags: StoreFlags & { readonly run: string; readonly repair?: string | undefined; readonly reason: string },
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const { config, db, run, repair, reason } = flags
  const onNote = (text: string): void => terminal.err(`note  ${text}`)
  const { rejected, written } = await rejectRun({ cwd, config, db, run, repair, reason }, { onNote, now })
  for (const { id, repair: title } of rejected) terminal.out(`Rejected ${id}  ${title}`)
  terminal.out(`${decisionsFile} has ${rejected.length === 1 ? 'it' : 'them'}: commit that file.`)
  const [runId] = rejected.map((each) => each.run)
  if (written.length > 0)
    terminal.out(
      `Still in the working tree: autotest revert ${runId}${repair === undefined ? '' : ` --repair ${repair}`}`,
    )
  return 0
}
