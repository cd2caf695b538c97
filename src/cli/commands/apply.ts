import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openJournal } from '../../edit/journal.js'
import type { CommandContext } from '../command-context.js'
import type { ExitCode } from '../exit-code.js'
import { withProjectLock } from '../locked.js'
import { runFolder } from '../perform-run.js'
import { loadPlan } from '../plan-file.js'
import { openProjectStore, type StoreFlags } from '../project-store.js'

/** Writes the verified repairs of a dry run; refused where a file is not as it was when they were verified. */
export async function applyCommand(
  flags: StoreFlags & { readonly plan: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { config, store } = await openProjectStore(flags, context)
  try {
    const file = resolve(context.cwd, flags.plan)
    const path = existsSync(file)
      ? file
      : join(runFolder({ config }, store.resolveRun(flags.plan)), 'plan.json')
    const plan = await loadPlan(path)
    const note = (text: string): void => context.terminal.err(`note  ${text}`)
    await withProjectLock(config.root, note, async () => {
      const journal = await openJournal({
        root: config.root,
        allowedRoots: [config.kb, config.agents],
        now: context.now,
        pid: process.pid,
      })
      for (const repair of plan.repairs) {
        await journal.write(plan.run, repair.id, repair.changes)
        context.terminal.out(
          `Applied ${repair.title}: ${repair.changes.map((change) => change.path).join(', ')}`,
        )
      }
    })
    context.terminal.out('The repairs are in the working tree, not committed.')
    return 0
  } finally {
    store.close()
  }
}
