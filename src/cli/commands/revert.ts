import type { ExitCode } from '../../app/exit-code.js'
import { decisionsFile } from '../../app/project/decisions-file.js'
import { revertRun } from '../../app/repairs/revert-run.js'
import type { CommandContext } from '../command-context.js'
import type { StoreFlags } from '../store-flags.js'

/** Reverts the repairs of a run, or one of them, and reports what was reverted. */
export async function revertCommand(
  flags: StoreFlags & {
    readonly run: string
    readonly repair?: string | undefined
    readonly reason?: string | undefined
  },
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const { config, db, run, repair, reason } = flags
  const onNote = (text: string): void => terminal.err(`note  ${text}`)
  const result = await revertRun({ cwd, config, db, run, repair, reason }, { onNote, now })
  if (result.kind === 'nothing') {
    const last = result.lastWriting
    const other = last === undefined ? '' : ` The last run that wrote: autotest revert ${last}`
    terminal.out(`${result.reason}: nothing to revert.${other}`)
    return 0
  }
  for (const { title, edits } of result.repairs)
    terminal.out(`Reverted ${title}: ${edits.map((edit) => edit.file).join(', ')}`)
  const commits = result.repairs.flatMap(({ commit }) => (commit === undefined ? [] : [commit.slice(0, 7)]))
  if (commits.length > 0)
    terminal.out(
      `${commits.length === 1 ? 'Commit' : 'Commits'} ${commits.join(', ')} remain${commits.length === 1 ? 's' : ''} in the history: commit the reverted files too.`,
    )
  const ids = result.rejected.map(({ id }) => id)
  if (ids.length > 0)
    terminal.out(
      `Later runs do not propose ${ids.length === 1 ? 'it' : 'them'} again: commit ${decisionsFile} (take back with autotest decisions forget ${ids.join(' | ')}).`,
    )
  return 0
}
