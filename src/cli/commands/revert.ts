import type { ExitCode } from '../../app/exit-code.js'
import { revertRun } from '../../app/repairs/revert-run.js'
import type { CommandContext } from '../command-context.js'
import type { StoreFlags } from '../store-flags.js'

/** Reverts the repairs of a run, or one of them, and reports what was reverted. */
export async function revertCommand(
  flags: StoreFlags & { readonly run: string; readonly repair?: string | undefined },
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const { config, db, run, repair } = flags
  const onNote = (text: string): void => terminal.err(`note  ${text}`)
  const result = await revertRun({ cwd, config, db, run, repair }, { onNote, now })
  if (result.kind === 'nothing') {
    terminal.out(`${result.reason}: nothing to revert.`)
    return 0
  }
  for (const { title, edits } of result.repairs)
    terminal.out(`Reverted ${title}: ${edits.map((edit) => edit.file).join(', ')}`)
  const commits = result.repairs.flatMap(({ commit }) => (commit === undefined ? [] : [commit.slice(0, 7)]))
  if (commits.length > 0)
    terminal.out(
      `${commits.length === 1 ? 'Commit' : 'Commits'} ${commits.join(', ')} remain${commits.length === 1 ? 's' : ''} in the history: commit the reverted files too.`,
    )
  return 0
}
