import type { ExitCode } from '../../app/exit-code.js'
import { type AppliedPlan, applyPlan } from '../../app/repairs/apply-plan.js'
import type { CommandContext } from '../command-context.js'
import type { StoreFlags } from '../store-flags.js'

/** Writes the verified repairs of a dry run, or one that a run holds, and reports what was written. */
export async function applyCommand(
  flags: StoreFlags & {
    readonly plan: string
    readonly repair?: string | undefined
    readonly 'allow-dirty'?: boolean | undefined
  },
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const { config, db, plan, repair } = flags
  const request = { cwd, config, db, plan, repair, allowDirty: flags['allow-dirty'] === true }
  const applied = await applyPlan(request, { onNote: (text) => terminal.err(`note  ${text}`), now })
  for (const { title, paths, wasApplied } of applied.repairs)
    terminal.out(`${wasApplied ? 'Already in place:' : 'Applied'} ${title}: ${paths.join(', ')}`)
  terminal.out(summaryOf(applied))
  return 0
}

function summaryOf({ runId, repairs, isRevertible }: AppliedPlan): string {
  const undo = isRevertible
    ? `undo with autotest revert ${runId}`
    : `run ${runId} is not in this run database: undo with git`
  return repairs.every(({ wasApplied }) => wasApplied)
    ? `The plan of ${runId} is already applied · ${undo}`
    : `In the working tree, not committed · ${undo}`
}
